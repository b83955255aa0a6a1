/** A golden test's judge: the template filled once, the answer read, scores and verdict computed. */
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Golden } from '../../../schemas/golden.ts'
import { emptyReport } from '../../../src/engines/engine.ts'
import { readGoldenAnswer, scoreGolden } from '../../../src/features/golden/judge.ts'
import { fillJudgePrompt, renderJudgePrompt, trajectoryText } from '../../../src/features/golden/judge_prompt.ts'
import { omitMiddle } from '../../../src/phases/3-judge/judge/transcript_view.ts'
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
    ['$ in a part is no reference', all, "$& $1 $'", "RUB|IN|EXP|CRIT|$& $1 $'|TRAJ"],
    ['doubled braces are single ones', '{{"score": {{}}}} {rubric}', '', '{"score": {}} RUB'],
    ['each place is filled, and nothing is added', '{agent_response}, {agent_response:.2}', 'RESP', 'RESP, RE'],
    ['braces of JSON stay where they are not doubled', `${json} ${all}`, 'RESP', `${json} RUB|IN|EXP|CRIT|RESP|TRAJ`],
  ])('%s', (_, template, response, prompt) => {
    expect(render(template, response)).toBe(prompt)
  })
  test('where str.format fails, a name in backticks stays, and what is not named is below', () => {
    const prompt = render('{"score": 1} for `{rubric}`. {rubric}')
    expect(prompt.startsWith('{"score": 1} for `{rubric}`. RUB\n')).toBe(true)
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

test("any template is filled as Python's own str.format fills it, or refused with it", () => {
  const values = {
    ...{ rubric: 'Rübe 🦉\n', test_input: '', expected_behavior: '{rubric}', pass_criteria: '}}' },
    ...{ agent_response: 'a'.repeat(30), trajectory: '{"events": []}' },
  }
  const format = fc.stringMatching(/^([x*{<🦉]?[<>^=])?[0+,]?[0-9]?(\.[0-9]?)?[sd]?$/u)
  const field = fc
    .tuple(fc.constantFrom(...Object.keys(values), 'other', '', ' rubric'), fc.constantFrom('', '!s', '!x'), format)
    .map(([name, as, spec]) => `{${name}${as}${spec === '' ? '' : `:${spec}`}}`)
  const template = fc.array(fc.oneof(field, fc.constantFrom('{{', '}}', 'a', '\n', '"', '{', '}', ':', '$&')), {
    maxLength: 5,
  })
  const templates = fc.sample(template, { numRuns: 3000, seed: 51 }).map((parts) => parts.join(''))
  const program = `import json, sys
values, templates = json.load(sys.stdin)
def fill(one):
    try: return one.format(**values)
    except Exception: return None
print(json.dumps([fill(one) for one in templates]))`
  const said = execFileSync('python3', ['-c', program], {
    input: JSON.stringify([values, templates]),
    encoding: 'utf8',
  })
  const ours = templates.map((one) => {
    const filled = fillJudgePrompt(one, values)
    return 'text' in filled ? filled.text : null
  })
  expect(ours).toEqual(JSON.parse(said))
  expect(ours.filter((one) => one !== null).length).toBeGreaterThan(500)
})

test('the trajectory is JSON, also where a judge takes little of it', () => {
  const at = '2026-01-15T10:30:00Z'
  const events = Array.from(
    { length: 40 },
    (_, step) => ({ type: 'assistant', at, step, text: 'x'.repeat(5000) }) as const,
  )
  const read = (most: number) => JSON.parse(trajectoryText(events, (text) => omitMiddle(text, most)))
  expect(read(Number.POSITIVE_INFINITY)).toEqual({ events })
  expect(read(100_000).events).toHaveLength(40)
  const few = read(20_000).events.map((one: { step?: number; omitted_events?: number }) => one.step ?? one)
  expect(few).toEqual([0, 1, { omitted_events: 36 }, 38, 39])
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

test.each<[string, unknown[], object]>([
  ['malformed, then well', ['Well: five', { persona: { score: 5 } }], { golden: { weighted: 5 } }],
  ['malformed twice', ['Well: five', 'Five'], { judge_errors: [{ reason: expect.stringContaining('twice') }] }],
])('malformed JSON is asked for once more, stricter: %s', async (_, answers, grading) => {
  const judged = { expectations: [{ text: 'good' }], judging: { kind: 'golden', golden: golden() } }
  const { judge, prompts } = judgeBy(({ call }) => answers[call])
  const graded = await gradeFiles({ files: { 'transcript.md': 'x' }, parts: judged, judge })
  expect(graded?.grading).toMatchObject(grading)
  expect(prompts.map((prompt) => prompt.includes('Output ONLY one valid JSON object'))).toEqual([false, true])
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
