/** The lenient reader of evals.json: every shape that it accepts, each with its warning. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { suite as suiteSchema } from '../../../schemas/suite.ts'
import { UserError } from '../../../src/base/errors/error.ts'
import { loadSuite } from '../../../src/phases/1-plan/suite/load_suite.ts'
import { loadCase, loadEvals, propertyRuns, skillWith, userError } from './folder.ts'

const ids = (evals: object[]) =>
  loadEvals({ skill_name: 'sums', evals: evals.map((one) => ({ prompt: 'p', expectations: ['e'], ...one })) })

test('unknown fields are kept with their cases, those of the file as `suite`', async () => {
  const one = { prompt: 'p', expectations: ['e'], tags: ['a'], retries: { most: 3 }, metadata: { owner: 'sam' } }
  const { cases } = await loadEvals({
    skill_name: 'sums',
    harness: 2,
    evals: [one, { prompt: 'q', expectations: ['e'] }],
  })
  expect(cases.map(({ metadata }) => metadata)).toEqual([
    { owner: 'sam', tags: ['a'], retries: { most: 3 }, suite: { harness: 2 } },
    { suite: { harness: 2 } },
  ])
  expect((await loadEvals([{ prompt: 'p', expectations: ['e'] }])).cases[0]?.metadata).toBeUndefined()
})

describe('dialects read without a warning', () => {
  test.each([
    ['skill-creator', { id: 1, prompt: 'Add', expected_output: 'o', files: [], expectations: ['a', 'b'] }],
    ['agentskills.io', { id: 1, prompt: 'Add', expected_output: 'o', assertions: ['a', 'b'] }],
    [
      'with harmless fields',
      { id: 1, prompt: 'Add', expectations: ['a', 'b'], tags: ['x'], category: 'c', notes: 'n' },
    ],
    ['with nulls for what is absent', { id: 1, prompt: 'Add', expectations: ['a', 'b'], files: null, setup: null }],
  ])('%s', async (_, one) => {
    const read = await loadCase(one)
    expect(read.case).toMatchObject({ eval_id: 1, eval_key: null, prompt: 'Add', cannot_run: null })
    expect(read.case.expectations).toEqual([{ text: 'a' }, { text: 'b' }])
    expect(read.warnings).toEqual([])
  })
  test('BOM and CRLF', async () => {
    const text = `\uFEFF${JSON.stringify({ skill_name: 's', evals: [{ id: 1, prompt: 'p', expectations: ['e'] }] }, null, 2)}`
    const { cases, warnings } = await loadEvals(text.replaceAll('\n', '\r\n'))
    expect([cases.length, warnings]).toEqual([1, []])
  })
  test('the prompt stays as it is written', async () => {
    expect((await loadCase({ id: 1, prompt: '  a\n', expectations: ['e'] })).case.prompt).toBe('  a\n')
  })
})

describe('what JSON loses without a word is told', () => {
  const said = async (text: string) => {
    const { cases, warnings } = await loadEvals(text)
    return { prompt: cases[0]?.prompt, said: warnings.map(({ at, message }) => `${at}: ${message}`) }
  }
  test.each([
    ['a prompt', '{"id":2,"prompt":"first","prompt":"second","expectations":["e"]}', 'prompt', 'second'],
    ['written otherwise', '{"id":2,"prompt":"first","pro\\u006dpt":"second","expectations":["e"]}', 'prompt', 'second'],
    [
      'deep',
      '{"id":2,"prompt":"p","notes":{"a":[{},{"b":1,"c":{"b":2},"b":3}]},"expectations":["e"]}',
      'notes.a[1].b',
      'p',
    ],
  ])('%s that stands twice', async (_, one, at, prompt) => {
    expect(await said(`{"skill_name":"s","evals":[{"id":1,"prompt":"x","expectations":["e"]},${one}]}`)).toEqual({
      prompt: 'x',
      said: [`$.evals[1].${at}: the field occurs twice; the last one counts`],
    })
    expect((await said(`{"skill_name":"s","evals":[${one}]}`)).prompt).toBe(prompt)
  })
  test('braces, quotes and colons in texts are none of the file', async () => {
    const text = JSON.stringify({
      skill_name: 's',
      evals: [{ id: 1, prompt: '{"a":1,"a":2}\\"', expectations: ['"a":', 'a'] }],
    })
    expect((await said(text)).said).toEqual([])
  })
  test('a text of five million escapes is read as any other', async () => {
    const notes = '\n'.repeat(5_000_000)
    const evals = [{ id: 1, prompt: 'p', expectations: ['e'], notes }]
    expect((await said(JSON.stringify({ skill_name: 's', evals }))).said).toEqual([])
  })
  test('characters that are no UTF-8', async () => {
    const suite = (prompt: string) =>
      JSON.stringify({ skill_name: 's', evals: [{ id: 1, prompt, expectations: ['e'] }] })
    const folder = skillWith(suite('café'))
    writeFileSync(path.join(folder, 'evals/evals.json'), Buffer.from(suite('café'), 'latin1'))
    expect((await loadSuite(folder)).warnings.map(({ message }) => message)).toEqual([
      'the file is not UTF-8: characters of it are lost, read as \uFFFD',
    ])
    expect((await said(suite('café \uFFFD'))).said).toEqual([])
  })
})

describe('drafts', () => {
  test('are marked and warned of once for all, until the mark is taken out', async () => {
    const draft = (id: number) => ({ id, prompt: 'p', expectations: ['e'], review: 'draft' })
    const { cases, warnings } = await loadEvals({
      skill_name: 's',
      evals: [draft(1), draft(2), { ...draft(3), review: null }],
    })
    expect(cases.map((one) => one.draft)).toEqual([true, true, undefined])
    expect(warnings.map(({ at, message }) => `${at}: ${message}`)).toEqual([
      '$.evals[0]: a draft that is not reviewed yet ("review": "draft") (here and at 1 more)',
    ])
  })
  test('another word is no mark', async () => {
    const { case: read, warnings } = await loadCase({ id: 1, prompt: 'p', expectations: ['e'], review: 'done' })
    expect(read.draft).toBeUndefined()
    expect(warnings).toEqual(['$.evals[0].review: "review" of a case is not read'])
  })
})

describe('the document', () => {
  const one = { id: 1, prompt: 'p', expectations: ['e'] }
  test.each<[string, unknown, string, string | null]>([
    ['a list at the top', [one], 'sums', '$: a list at the top; it is read as "evals"'],
    ['cases', { skill_name: 's', cases: [one] }, 's', '$.cases: "cases" is read as "evals"'],
    ['scenarios', { skill_name: 's', scenarios: [one] }, 's', 'the only list with prompts'],
    ['name', { name: 's', evals: [one] }, 's', '$.name: "name" is read as "skill_name"'],
    ['no name', { evals: [one] }, 'sums', "$: names no skill; SKILL.md's name is used"],
    ['a name that is no text', { skill: {}, evals: [one] }, 'sums', "$.skill: an object, not a skill's name"],
    ['an unknown field', { skill_name: 's', evals: [one], runs: 3 }, 's', '$.runs: "runs" of the file is not read'],
    ['a null case', { skill_name: 's', evals: [null, one] }, 's', '$.evals[0]: null, not a case; it is skipped'],
    ['a case that is text', { skill_name: 's', evals: ['Add 2', one] }, 's', '$.evals[0]: plain text'],
  ])('%s', async (_, evals, skillName, warning) => {
    const { skill_name, cases, warnings } = await loadEvals(evals)
    expect(skill_name).toBe(skillName)
    expect(cases.at(-1)?.expectations).toEqual([{ text: 'e' }])
    expect(warnings.map(({ at, message }) => `${at}: ${message}`).join('\n')).toContain(warning)
  })
  test.each<[string, string, RegExp]>([
    ['an empty file', '', /evals\.json:1:1: not valid JSON/],
    ['a syntax error', '{\n "evals": [,]\n}', /evals\.json:2:12: not valid JSON/],
    ['a long file cut short', `{"evals": [${'{"prompt": "p"},\n'.repeat(99)}`, /evals\.json:100:1: not valid JSON/],
    ['an empty list', '{"evals": []}', /\$\.evals is an empty list/],
    ['cases that are no list', '{"evals": {}}', /\$\.evals holds an object, not a list of cases/],
    ['no list', '{"a": 1, "b": []}', /no list "evals" \(found a, b\)/],
    ['two likely lists', '{"a": [{"prompt": "p"}], "b": [{"query": "q"}]}', /a and b could be it/],
  ])('one error for %s', async (_, text, message) => {
    const error = await userError(loadEvals(text))
    expect(error.message).toMatch(message)
    expect(error.message).toMatch(/evals[/\\]evals\.json/)
    expect(error.fix).not.toBeNull()
  })
})

describe('ids', () => {
  test.each<[string, unknown[], string]>([
    ['integers stay, 0 too', [0, 7, 2], '0 7 2'],
    ['text gets integers and stays as key', ['add', 'sub'], '1=add 2=sub'],
    ['mixed', [2, 'x', 1, 'y'], '2 3=x 1 4=y'],
    ['missing', [undefined, 1, undefined], '2 1 3'],
    ['double: the first keeps it', [1, 1, 2], '1 3=1 2'],
    ['whole numbers as text', ['3', '1'], '3=3 1=1'],
    ['negative, broken and odd', [-1, 1.5, true], '1=-1 2=1.5 3=true'],
  ])('%s', async (_, given, wanted) => {
    const { cases } = await ids(given.map((id) => (id === undefined ? {} : { id })))
    const shown = cases.map(({ eval_id, eval_key }) => (eval_key === null ? eval_id : `${eval_id}=${eval_key}`))
    expect(shown.join(' ')).toBe(wanted)
  })
  test.each<[string, object, string]>([
    ['text', { id: 'a' }, '$.evals[0].id: the id is not a whole number'],
    ['missing', {}, '$.evals[0]: no id; one is assigned'],
    ['a number as text', { id: '4' }, '$.evals[0].id: a whole number written as text'],
  ])('warns of %s', async (_, id, warning) => {
    const { warnings } = await loadCase({ prompt: 'p', expectations: ['e'], ...id })
    expect(warnings).toEqual([expect.stringContaining(warning)])
  })
})

describe('odd JSON', () => {
  test('an id -0 is 0', async () => {
    const { cases } = await loadEvals(
      '{"skill_name": "s", "evals": [{"id": -0, "prompt": "p", "expectations": ["e"]}]}',
    )
    expect(cases[0]?.eval_id).toBe(0)
  })
  test('a field in two spellings: the right one is read, the other is said', async () => {
    const read = await loadCase({ id: 1, prompt: 'p', expectedOutput: 'x', expected_output: 'y', expectations: ['e'] })
    expect(read.case.expected_output).toBe('y')
    expect(read.warnings).toEqual(['$.evals[0].expectedOutput: "expectedOutput" of a case is not read'])
  })
})

describe('names', () => {
  test.each<[string, object, string]>([
    ['name', { id: 1, name: 'march' }, 'march'],
    ['eval_name before name', { id: 1, name: 'n', eval_name: 'e' }, 'e'],
    ['text id', { id: 'add-two' }, 'add-two'],
    ['first words of the prompt', { id: 1 }, 'please-add-the-numbers-in-a-csv'],
    ['letters of any script', { id: 1, prompt: 'Сложи числа' }, 'сложи-числа'],
    ['no letters', { id: 4, prompt: '???' }, 'case-4'],
  ])('%s', async (_, one, name) => {
    const read = await loadCase({ prompt: 'Please add the numbers in a.csv now', expectations: ['e'], ...one })
    expect(read.case.eval_name).toBe(name)
  })
})

describe('prompts', () => {
  test.each(['input', 'query', 'task', 'question', 'userPrompt', 'instruction'])('%s', async (key) => {
    const read = await loadCase({ id: 1, [key]: 'Add', expectations: ['e'] })
    expect(read.case).toMatchObject({ prompt: 'Add', cannot_run: null })
    expect(read.warnings).toEqual([`$.evals[0].${key}: "${key}" is read as "prompt"`])
  })
  test.each([{}, { prompt: ' ' }, { prompt: 3 }, { prompt: null }])('none in %j: the case cannot run', async (part) => {
    expect((await loadCase({ id: 1, expectations: ['e'], ...part })).case.cannot_run).toMatch(/^it has no prompt/)
  })
  test.each([
    ['expectation', 'expectations'],
    ['promt', 'prompt'],
    ['refrence', 'reference'],
    ['set_up', 'setup'],
    ['PROMPT', 'prompt'],
  ])('%s is a misspelt %s, and keeps the case from running', async (name, meant) => {
    const read = await loadCase({ prompt: 'p', expectations: ['e'], [name]: ['x'] })
    expect(read.case.cannot_run).toBe(`"${name}" is not a known field (did you mean "${meant}"?)`)
    expect(read.warnings).toEqual([expect.stringContaining('no id')])
  })
  test.each(['timeoutSecond', 'prompt_template'])('%s is near a field, not a misspelling of it', async (name) => {
    const read = await loadCase({ id: 1, prompt: 'p', expectations: ['e'], [name]: ['x'] })
    expect(read.case.cannot_run).toBeNull()
    expect(read.warnings).toEqual([expect.stringMatching(/ of a case is not read; did you mean "(timeout|prompt)"\?$/)])
  })
  test.each(['title', 'notes', 'tag', 'messages', 'level', 'x-prompt'])(
    '%s beside a prompt is no misspelling',
    async (name) => {
      const read = await loadCase({ id: 1, prompt: 'p', expectations: ['e'], [name]: 'x' })
      expect(read.case.cannot_run).toBeNull()
    },
  )
  test('"sandbox" of a case is not read, and the warning says where it is', async () => {
    const asked = { sandbox: { network: 'open' } }
    const { warnings } = await loadCase({ id: 1, prompt: 'p', expectations: ['e'], ...asked })
    expect(warnings).toEqual([
      '$.evals[0].sandbox: "sandbox" of a case is not read: write it at the top of the file, where it is for all cases',
    ])
  })
})

describe('unknown fields and trigger evals', () => {
  test('an unknown field is named once', async () => {
    const { warnings } = await ids([
      { id: 1, colour: 1 },
      { id: 2, colour: 2 },
    ])
    expect(warnings).toMatchObject([
      { at: '$.evals[0].colour', message: '"colour" of a case is not read (here and at 1 more)' },
    ])
  })
  test('a key with odd letters has a readable path', async () => {
    const { warnings } = await ids([{ id: 1, 'a b.c': 1 }])
    expect(warnings[0]?.at).toBe('$.evals[0]["a b.c"]')
  })
  test.each(['should_trigger', 'shouldTrigger', 'expected_activation'])('%s', async (key) => {
    const read = await loadCase({ id: 1, prompt: 'p', [key]: false, expectations: ['e'] })
    expect(read.warnings).toEqual([expect.stringContaining('trigger evals belong in a set of their own')])
    expect(read.case.cannot_run).toBeNull()
  })
})

describe('any JSON', () => {
  const names =
    'evals id prompt input expectations assertions expected_output files checks name type value pattern path text git timeout turns messages user role content end_when __proto__ constructor'.split(
      ' ',
    )
  const { tree } = fc.letrec((tie) => ({
    tree: fc.oneof({ depthSize: 'small' }, tie('leaf'), tie('list'), tie('object')),
    leaf: fc.oneof(
      fc.constantFrom(null, true, 0, -1, 1.5, 1e21, '', ' ', 'p', '1', '..', '/', '\0', 'contains'),
      fc.string(),
    ),
    list: fc.array(tie('tree'), { maxLength: 4 }),
    object: fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string({ maxLength: 3 })), tie('tree'), {
      maxKeys: 5,
    }),
  }))
  const cases = fc.array(fc.dictionary(fc.constantFrom(...names), tree, { maxKeys: 6 }), { minLength: 1, maxLength: 5 })

  test('loads, or is a UserError; ids are unique; what loads fits the schema', async () => {
    const seen = { loaded: 0, refused: 0 }
    const any = fc.oneof(tree, fc.record({ evals: cases }), cases)
    await fc.assert(
      fc.asyncProperty(any, async (value) => {
        try {
          const read = suiteSchema.parse(await loadEvals(JSON.stringify(value)))
          expect(new Set(read.cases.map((one) => one.eval_id)).size).toBe(read.cases.length)
          seen.loaded += 1
        } catch (error) {
          expect(error).toBeInstanceOf(UserError)
          seen.refused += 1
        }
      }),
      propertyRuns(150, 2000),
    )
    expect(Math.min(seen.loaded, seen.refused)).toBeGreaterThan(10)
  })
})
