/** A golden test's judge: the template filled once, the answer read, scores and verdict computed. */
import { describe, expect, test } from 'vitest'
import type { Golden } from '../../../schemas/golden.ts'
import { emptyReport } from '../../../src/engines/engine.ts'
import { renderJudgePrompt } from '../../../src/features/golden/judge.ts'
import { readGoldenAnswer, scoreGolden } from '../../../src/features/golden/score.ts'
import { gradeFiles, judgeBy } from '../../phases/3-judge/graded.ts'

const all = '{rubric}|{test_input}|{expected_behavior}|{pass_criteria}|{agent_response}|{trajectory}'

function golden(
  changes: { template?: string; strict?: boolean; weights?: Record<string, number> } & Partial<Golden> = {},
): Golden {
  const { template = all, strict = true, weights = { persona: 50, quality: 50 }, ...others } = changes
  return {
    test_id: '001',
    category: 'happy',
    input: 'IN',
    setup: '',
    expected_behavior: 'EXP',
    pass_criteria: 'CRIT',
    criteria: { thresholds: [], no_hard_fails: false, left_to_judge: [] },
    expected_facts: [],
    notes: '',
    rubric: { weights, threshold_pass: 4, body: 'RUB' },
    judge: { cross_family: [], same_family_fallback: [], strict_mode: strict, audit_sample_pct: 0.1, template },
    ...others,
  }
}

const render = (template: string, response = 'RESP', more: Partial<Golden> = {}) =>
  renderJudgePrompt(golden({ template, ...more }), { response, trajectory: 'TRAJ' })

describe('the template', () => {
  const json = '{"persona": {"score": <1-5>}, "hard_fails": []}'
  test.each([
    ['what is filled in is not looked at again', all, '{rubric} {x}', 'RUB|IN|EXP|CRIT|{rubric} {x}|TRAJ'],
    ['braces of JSON stay', `${json} ${all}`, 'RESP', `${json} RUB|IN|EXP|CRIT|RESP|TRAJ`],
    ['$ in a part is no reference', all, "$& $1 $'", "RUB|IN|EXP|CRIT|$& $1 $'|TRAJ"],
  ])('%s', (_, template, response, prompt) => {
    expect(render(template, response)).toBe(prompt)
  })
  test('a variable that is explained in a sentence is filled in once, where it stands alone', () => {
    const prompt = render(`It substitutes \`{rubric}\` at runtime.\n\n{rubric}\n\n${all.replace('{rubric}|', '')}`)
    expect(prompt.startsWith('It substitutes `{rubric}` at runtime.\n\nRUB\n')).toBe(true)
  })
  test('a variable that is missing has its part below', () => {
    const prompt = render('Score it. {rubric}')
    const titles = ['Test input', 'Expected behavior', 'Pass criteria', "Agent's response", 'Trajectory']
    expect(prompt.match(/(?<=^## ).*/gm)).toEqual(titles)
    expect(prompt).toContain("## Agent's response\n\nRESP")
  })
  test('facts are asked for where the test has some', () => {
    const facts = [{ claim: 'rate', source: 'a.md', expected_value: '1.50' }]
    expect(render(all, 'R', { expected_facts: facts })).toContain('"expected_value": "1.50"')
    expect(render(all)).not.toContain('factual_checks')
  })
})

test('where the judge can not be asked a fallback is, and the grading has its scores', async () => {
  const judged = { expectations: [{ text: 'good' }], judging: { kind: 'golden', golden: golden() } }
  const error = { kind: 'credentials', message: 'no key', retryable: false, retryAfterMs: null } as const
  const { judge } = judgeBy(() => ({ persona: { score: 5 }, quality: { score: 4 } }))
  const run = async () => ({ status: 'failed', error, report: emptyReport }) as const
  const down = { ...judge, engine: { ...judge.engine, run } }
  const fallbacks = [{ judge, credentials: {} }]
  const graded = await gradeFiles({ files: { 'transcript.md': 'x' }, parts: judged, judge: down, fallbacks })
  expect(graded?.grading.golden).toMatchObject({ weighted: 4.5, unavailable: ['command: credentials: no key'] })
})

const dimensions = ['persona', 'quality']
const answer = (value: unknown, names = dimensions) => {
  const read = readGoldenAnswer(JSON.stringify(value), names)
  if ('problem' in read) throw new Error(String(read.problem))
  return read
}
const scored = (persona: unknown, quality: unknown, more = {}) =>
  answer({ persona: { score: persona, justification: 'p' }, quality: { score: quality }, ...more })

describe('the answer', () => {
  const fenced = '```json\n{"persona":{"score":5}}\n```'
  test.each([fenced, fenced.replace('json', ''), ' {"persona":{"score":5}}'])('%j is read', (said) =>
    expect(readGoldenAnswer(said, dimensions)).toMatchObject({ persona: { score: 5 } }),
  )
  test('a hard fail is an answer without any score', () => {
    expect(readGoldenAnswer('{"hard_fails":["HF1"]}', dimensions)).toEqual({ hard_fails: ['HF1'] })
  })
  test.each([
    ['Here are my scores: 5', 'not JSON'],
    ['{"persona":{"score":5}', 'not JSON'],
    ['[1]', 'object'],
    ['{"elegance":{"score":5}}', 'scores none of persona, quality'],
    ['{"persona":{"score":5},"hard_fails":"HF1"}', 'hard_fails'],
  ])('%j is not', (said, problem) => {
    expect(readGoldenAnswer(said, dimensions)).toMatchObject({ problem: expect.stringContaining(problem) })
  })
})

describe('scores', () => {
  test('weighted by the rubric, two decimals', () => {
    const { weighted } = scoreGolden(scored(5, 4), golden({ weights: { persona: 20, quality: 70 } }))
    expect(weighted).toBe(4.22)
  })
  test('a dimension that was not scored drops out', () => {
    expect(scoreGolden(answer({ persona: { score: 5 } }), golden()).weighted).toBe(5)
  })
  test('text that is a number counts, other text is left out, out of range is clamped; all is recorded', () => {
    expect(scoreGolden(scored('5', 'abc'), golden())).toMatchObject({
      scores: { persona: 5 },
      clamped: [{ dimension: 'quality', raw: 'abc', clamped: null }],
    })
    expect(scoreGolden(scored(9, 0), golden())).toMatchObject({
      scores: { persona: 5, quality: 1 },
      clamped: [
        { dimension: 'persona', raw: 9, clamped: 5 },
        { dimension: 'quality', raw: 0, clamped: 1 },
      ],
    })
  })
  test('the verdict is that of the score as it is shown', () => {
    expect(scoreGolden(scored(4, 4), golden()).verdict).toBe('pass')
    expect(scoreGolden(scored(4, 3), golden()).verdict).toBe('fail')
    const weights = { persona: 3, quality: 997 }
    expect(scoreGolden(scored(3, 4), golden({ weights }))).toMatchObject({ weighted: 4, verdict: 'pass' })
  })
  test('a hard fail fails whatever the score, and the score stays', () => {
    const result = scoreGolden(scored(5, 5, { hard_fails: ['HF1'], overall: { justification: 'bad' } }), golden())
    expect(result).toMatchObject({ verdict: 'fail', weighted: 5, hard_fails: ['HF1'], justification: 'bad' })
  })
  const thresholds = [{ dimension: 'quality', at_least: 5, text: 'quality: 5' }]
  const criteria = { thresholds, no_hard_fails: true, left_to_judge: [] }
  test('a bullet that is not met fails in strict mode only', () => {
    expect(scoreGolden(scored(5, 4), golden({ criteria }))).toMatchObject({
      verdict: 'fail',
      unmet: ['quality: 5 (scored 4)'],
    })
    expect(scoreGolden(scored(5, 4), golden({ criteria, strict: false })).verdict).toBe('pass')
    const { unmet } = scoreGolden(answer({ persona: { score: 5 } }), golden({ criteria }))
    expect(unmet).toEqual(['quality: 5 (not scored)'])
    const above = [{ dimension: 'quality', at_least: 4, more: true as const, text: 'quality > 4' }]
    const more = golden({ criteria: { ...criteria, thresholds: above } })
    expect(scoreGolden(scored(5, 4), more).verdict).toBe('fail')
  })
  test.each([
    [[true, true, true], 5],
    [[true, true, false], 2],
    [[true, false, true], 1],
    [[false, true, true], 1],
  ])('one fact stated, right, cited: %j is %i, half to even', ([stated, right, cited], score) => {
    const weights = { persona: 50, factual_accuracy: 50 }
    const checks = [{ claim: 'x', stated_in_response: stated, value_correct: right, cited }]
    const given = answer({ factual_checks: checks }, Object.keys(weights))
    expect(scoreGolden(given, golden({ weights })).scores).toEqual({ factual_accuracy: score })
  })
})
