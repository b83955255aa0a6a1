/** The parts of an Atomic Agent's evals: sections by how they begin, bullets that code decides, rubric.md and judge.md. */
import { describe, expect, test } from 'vitest'
import { readJudge, readRubric } from '../../../src/features/golden/config.ts'
import { findMisspeltSection, goldenSections, readCriteria, readGoldenTest } from '../../../src/features/golden/test.ts'

const nothing = () => {}

describe('sections', () => {
  test.each([
    ['Input', 'input'],
    ['Setup (vault state for this test)', 'setup'],
    ['Expected behavior (the judge evaluates against this)', 'expected'],
    ['Pass criteria (rubric thresholds + hard-fail checks)', 'criteria'],
    ['**Notes**', 'notes'],
  ] as const)('## %s is %s', (heading, field) => {
    expect(goldenSections(`# title\n\n## ${heading}\n\ntext\n`, 1)[field]).toBe('text')
  })
  test.each(['Inputs', 'Setups', 'My Input'])('## %s is none of them, and named with its line', (heading) => {
    const { input, setup, unknown } = goldenSections(`## ${heading}\nx`, 7)
    expect([input, setup, unknown]).toEqual(['', '', [{ heading, line: 7 }]])
  })
  test('## in a code fence is no heading, ### is text', () => {
    expect(goldenSections('## Input\n```\n## Notes\n```\n### more\n', 1).input).toBe('```\n## Notes\n```\n### more')
  })
})

describe('a misspelt section', () => {
  test.each([
    ['Expcted behavior', 'expected behavior'],
    ['**Pas criteria**', 'pass criteria'],
    ['Inputs', 'input'],
  ])('## %s is meant as %s', (heading, meant) => expect(findMisspeltSection(heading)).toBe(meant))
  test.each(['Context', 'Output', 'Note on dates', 'Why', 'My Input', 'Hard fails', 'Expected answer', 'Regression'])(
    '## %s is another one',
    (heading) => expect(findMisspeltSection(heading)).toBeNull(),
  )
})

describe('pass criteria', () => {
  const dimensions = ['persona_fidelity', 'output_quality']
  test.each([
    ['- persona_fidelity: ≥ 4 (calm)', 4, undefined],
    ['* Persona fidelity: >= 3.5', 3.5, undefined],
    ['- persona_fidelity: 5 (no drift)', 5, undefined],
    ['1. `persona_fidelity`: at least 4', 4, undefined],
    ['- **persona_fidelity** > 3', 3, true],
  ])('%s', (line, at_least, more) => {
    const [first] = readCriteria(line, dimensions).thresholds
    expect([first?.dimension, first?.at_least, first?.more]).toEqual(['persona_fidelity', at_least, more])
  })
  test.each(['- No hard fails', '- **No hard fails — especially HF1 (tickers)**', '* no hard-fail'])('%s', (line) => {
    expect(readCriteria(line, dimensions)).toEqual({ thresholds: [], no_hard_fails: true, left_to_judge: [] })
  })
  test('what names no dimension is left to the judge; prose is no bullet', () => {
    expect(readCriteria('Prose: persona_fidelity ≥ 4\n- elegance ≥ 4\n- Mentions 4 cards\n', dimensions)).toEqual({
      thresholds: [],
      no_hard_fails: false,
      left_to_judge: ['elegance ≥ 4', 'Mentions 4 cards'],
    })
  })
})

const rubricMd = { file: 'rubric.md', agent: 'x' }
const rubric = (front: string, body = '# Rubric') => readRubric(`---\n${front}\n---\n${body}\n`, rubricMd, nothing)
const judge = (front: string, body = 'Judge {rubric}') =>
  readJudge(`---\n${front}\n---\n${body}\n`, { file: 'judge.md', agent: 'x' }, nothing)

describe('rubric.md', () => {
  test('weights, threshold and body', () => {
    expect(rubric('weights:\n  a: 30\n  b: "70"\nthreshold_pass: 3.5')).toEqual({
      weights: { a: 30, b: 70 },
      threshold_pass: 3.5,
      body: '# Rubric',
    })
    expect(rubric('weights: {a: 1}').threshold_pass).toBe(4)
  })
  test.each([
    ['weights: {}', 'rubric.md:2:1: weights must name'],
    ['agent: x\nweights:\n  a: many', 'rubric.md:4:3: weights.a must be a number'],
    ['weights: {a: 0}', 'rubric.md:2:1: all weights are 0'],
    ['weights: {a: 1}\nthreshold_pass: high', 'rubric.md:3:1: threshold_pass must be a number'],
  ])('%j is refused with its place', (front, message) => expect(() => rubric(front)).toThrow(message))
  test.each([
    ['weights: {a: 1}\ntreshold_pass: 5', '', '3:1: the field "treshold_pass"', 'threshold_pass'],
    ['wieghts: {a: 1}', '', '2:1: the field "wieghts"', 'weights'],
    ['weights:\n  output_qualty: 5', '## Output quality (5%)', '3:3: the dimension "output_qualty"', 'output_quality'],
  ])('%j above %j is a slip', (front, body, what, meant) =>
    expect(() => rubric(front, body)).toThrow(`rubric.md:${what} is not known (did you mean "${meant}"?)`),
  )
  test.each([
    ['weights: {tone: 1, tune: 1}', '## Tone'],
    ['weights: {tone_1: 1, tone_2: 1}', '## tone_1'],
    ['weights: {care: 1}', '## Hard fails\n```\n## cares\n```'],
    ['weights: {persona_fidelity: 1}', '## **Persona fidelity** (100%)'],
  ])('%j above %j is none', (front, body) => expect(() => rubric(front, body)).not.toThrow())
  test('weights that sum to something else, and fields nobody knows, are told', () => {
    const told: string[] = []
    readRubric('---\nweights: {a: 30}\ncolour: red\n---\nx', rubricMd, (line, message) =>
      told.push(`${line} ${message}`),
    )
    expect(told).toEqual([expect.stringMatching(/^3 .*colour/), expect.stringMatching(/^2 .*sum to 30/)])
  })
})

describe('judge.md', () => {
  test('what is not said is strict, a tenth, no list', () => {
    expect(judge('schema_version: 1')).toEqual({
      cross_family: [],
      same_family_fallback: [],
      strict_mode: true,
      audit_sample_pct: 0.1,
      template: 'Judge {rubric}',
    })
  })
  test.each([
    ['0', 0],
    ['0.25', 0.25],
    ['1', 1],
    ['10', 0.1],
    ['100', 1],
  ])('audit_sample_pct: %s', (written, share) =>
    expect(judge(`audit_sample_pct: ${written}`).audit_sample_pct).toBe(share),
  )
  test('audit_sample_pct: 1 could mean one percent, so a warning says how it is read', () => {
    const told: string[] = []
    for (const written of ['1', '10'])
      readJudge(
        `---\naudit_sample_pct: ${written}\n---\n{agent_response}`,
        { file: 'judge.md', agent: 'x' },
        (_, message) => told.push(message),
      )
    expect(told).toEqual(['audit_sample_pct 1 is read as all verdicts; for one percent, write 0.01'])
  })
  test.each([
    ['strict_mode: "yes"', 'judge.md:2:1: strict_mode'],
    ['audit_sample_pct: 101', 'judge.md:2:1: audit_sample_pct'],
    ['recommended_judge: gpt-5', 'judge.md:2:1: recommended_judge'],
    ['recommended_judge:\n  cross_family: [3]', 'judge.md:3:3: cross_family'],
    ['strict_mod: true', 'judge.md:2:1: the field "strict_mod" is not known (did you mean "strict_mode"?)'],
    ['recommended_judge:\n  cross_famly: [a]', 'judge.md:3:3: the field "recommended_judge.cross_famly" is not known'],
  ])('%j is refused with its place', (front, message) => expect(() => judge(front)).toThrow(message))
  test('a recommendation of another name is told', () => {
    const told: string[] = []
    const text = '---\nrecommended_judge:\n  own_family: [gpt-5]\n  cross_family: [o3]\n---\n{agent_response}'
    readJudge(text, { file: 'judge.md', agent: 'x' }, (line, message) => told.push(`${line} ${message}`))
    expect(told).toEqual(['3 the field recommended_judge.own_family is not known and not read'])
  })
  test.each([
    [
      '\nJudge {agent_response}\nas { "a": 1 }',
      '5 "{ \\"a\\": 1 }" is not a placeholder, so braces are kept as they are; ',
    ],
    ['Judge.', "3 the judge is not shown the agent's response: there is no {agent_response}"],
  ])('a template that str.format can not fill, or without the answer, is a warning: %j', (body, message) => {
    const told: string[] = []
    readJudge(`---\n---\n${body}\n`, { file: 'judge.md', agent: 'x' }, (line, text) => told.push(`${line} ${text}`))
    expect(told).toEqual([expect.stringContaining(message)])
  })
  test('a judge without a prompt is refused', () =>
    expect(() => judge('agent: x', '')).toThrow('the prompt for the judge'))
})

describe('a test', () => {
  const read = (front: string, body = '## Input\nHi') =>
    readGoldenTest(`---\n${front}\n---\n${body}\n`, { agent: 'x', folder: null, dimensions: ['a'] }, nothing)
  test('an id that looks like a number or a date stays as it is written', () => {
    expect(read('test_id: 001\ncategory: 2026-01-01')).toMatchObject({
      test: { test_id: '001', category: '2026-01-01' },
    })
  })
  test.each([
    ['category: happy', '## Input\nHi', 'no test_id'],
    ['test_id: x', '## Input\nHi', 'no category'],
    ['test_id: [x', '## Input\nHi', 'not valid YAML'],
    ['test_id: x\ncategory: happy', '## Notes\nHi', 'no ## Input'],
    ['test_id: ../x\ncategory: happy', '## Input\nHi', 'no /'],
    ['test_id: x\ncategory: happy\nexpected_facts: [1]', '## Input\nHi', 'expected_facts'],
  ])('%j is skipped with a reason', (front, body, message) => {
    expect(read(front, body)).toMatchObject({ ok: false, message: expect.stringContaining(message) })
  })
  const whole = 'test_id: x\ncategory: happy'
  test.each([
    ['tset_id: x\ncategory: happy', '', 2, 'field "tset_id"', 'test_id'],
    [`${whole}\nexpected_fcts: []`, '', 4, 'field "expected_fcts"', 'expected_facts'],
    [`${whole}\nexpected_facts:\n  - claim: a\n    sorce: b`, '', 6, 'field "expected_facts[0].sorce"', 'source'],
    [whole, '## Pas criteria', 7, 'section "Pas criteria"', 'pass criteria'],
    [
      whole,
      '## Pass criteria\n- output_qualty: ≥ 4',
      8,
      'dimension of the bullet "output_qualty: ≥ 4"',
      'output_quality',
    ],
  ])('%j with %j is a slip', (front, more, line, what, meant) => {
    const message = `the ${what} is not known (did you mean "${meant}"?)`
    const text = `---\n${front}\n---\n## Input\nHi\n${more}\n`
    const place = { agent: 'x', folder: null, dimensions: ['output_quality'] }
    expect(readGoldenTest(text, place, nothing)).toEqual({ ok: false, line, column: 1, message })
  })
  test('facts keep their texts and their lines', () => {
    const front =
      'test_id: x\ncategory: happy\nexpected_facts:\n  - claim: rate\n    source: memory/a.md\n    expected_value: 1.50'
    expect(read(front)).toMatchObject({
      test: {
        expected_facts: [{ claim: 'rate', source: 'memory/a.md', expected_value: '1.50' }],
        sources: [{ path: 'memory/a.md', line: 6 }],
      },
    })
  })
  test('what looks like a field or a score and is read as none is told', () => {
    const told: string[] = []
    const text =
      '---\ntest_id: x\ncategory: c\nexpected_facts:\n  - claim: rate\n    page: 2\n---\n## Input\nHi\n## Pass criteria\n' +
      '- **a**: ≥ 4\n- bold: ≥ 4\n- tone: 3 (calm)\n- Very calm at least 4\n- Mentions 4 cards\n- No hard fails\n'
    readGoldenTest(text, { agent: 'x', folder: 'd', dimensions: ['a'] }, (line, message) =>
      told.push(`${line} ${message}`),
    )
    const bullet = (words: string) =>
      `12 the bullet "${words}" names no dimension of the rubric (a): no code decides it`
    expect(told).toEqual([
      '6 the field expected_facts[0].page is not known and not read',
      '3 its category is c, but it is in golden/d',
      bullet('bold: ≥ 4'),
      bullet('tone: 3 (calm)').replace('12', '13'),
      bullet('Very calm at least 4').replace('12', '14'),
    ])
  })
})
