/** Grading a run: who decides what, what counts, what stays outside, with real judges that read real files. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { grading as gradingSchema } from '../../../../schemas/grading.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import { canonicalJson, sha256 } from '../../../../src/base/json/json.ts'
import { commandEngine } from '../../../../src/features/command/any_program.ts'
import { type GradeRunRequest, gradeRun, hashGradingInputs } from '../../../../src/phases/3-judge/grade/grade_run.ts'
import { judgePromptSource } from '../../../../src/phases/3-judge/judge/judge_prompt.ts'
import { record } from '../../../fixtures/record.ts'
import { suiteCase } from '../../../fixtures/suite_case.ts'
import { environment, judgeCommand, temporary, write } from '../scene.ts'

const counted = {
  tool_calls: { Bash: 2 },
  total_tool_calls: 2,
  total_steps: 3,
  errors_encountered: 0,
  output_chars: 9,
  transcript_chars: 30,
}
const files = {
  'transcript.md': '## Eval Prompt\n\nAdd up.\n\n## Final response\n\nThe total is 42.\n',
  'outputs/report.md': 'Ocean: 42\n',
  'outputs/metrics.json': JSON.stringify({ ...counted, files_created: ['report.md'] }),
}
const reads = { text: 'outputs/report.md says Ocean: 42' }
const misses = { text: 'outputs/report.md says Desert' }
const says42 = { type: 'contains', value: '42' }
const saysDesert = { type: 'contains', value: 'Desert', text: 'Desert is named' }

async function grade(
  parts: Record<string, unknown>,
  changes: Partial<GradeRunRequest> & { of?: RunRecord; judgeLine?: string | null } = {},
) {
  const runFolder = await temporary()
  await write(runFolder, files)
  const line = changes.judgeLine === undefined ? judgeCommand('reader') : changes.judgeLine
  const graded = await gradeRun({
    case: suiteCase(parts),
    record: changes.of ?? record({ final_response: 'The total is 42.' }),
    runFolder,
    judge: line === null ? null : { engine: commandEngine, model: null, command: line },
    onTimeout: 'fail',
    restore: (target) => write(target, { 'report.md': 'Ocean: 42\n' }),
    env: environment,
    credentials: {},
    signal: new AbortController().signal,
    ...changes,
  })
  if (graded !== null) gradingSchema.parse(graded.grading)
  return graded
}
const gradingOf = async (...request: Parameters<typeof grade>) => (await grade(...request))?.grading
const moody = async (...moods: string[]) => judgeCommand('moody', await temporary(), ...moods)

describe('a completed run', () => {
  test('has the verdicts of the judge, then those of code, each with evidence and who decided', async () => {
    const expectations = [
      { ...reads, indicator: false },
      { ...misses, derived: true },
    ]
    const checks = [says42, { ...saysDesert, indicator: true }, { type: 'command', run: 'grep -c Ocean report.md' }]
    const grading = await gradingOf({ expectations, checks })
    const at = { file: 'outputs/report.md', line: 1, start: 0, end: 9 }
    const evidence = expect.any(String)
    expect(grading?.expectations).toEqual([
      {
        ...{ ...reads, indicator: false, passed: true, decided_by: 'judge' },
        ...{ evidence: 'outputs/report.md: "Ocean: 42"', evidence_verified: 'exact', evidence_at: at },
      },
      { ...misses, derived: true, passed: false, evidence, evidence_verified: 'not_a_quote', decided_by: 'judge' },
      { text: 'The final answer contains "42"', passed: true, evidence, decided_by: 'check:contains' },
      { text: 'Desert is named', indicator: true, passed: false, evidence, decided_by: 'check:contains' },
      { text: expect.any(String), passed: true, evidence: 'Exit code 0; output: 1', decided_by: 'check:command' },
    ])
    expect(grading).not.toHaveProperty('judge_errors')
  })
  test('a weight of a statement or a check is that of its verdict', async () => {
    const grading = await gradingOf({ expectations: [{ ...misses, weight: 3 }], checks: [{ ...says42, weight: 1 }] })
    expect(grading?.expectations.map(({ weight }) => weight)).toEqual([3, 1])
    expect(grading?.summary).toEqual({ passed: 1, failed: 1, total: 2, pass_rate: 0.25 })
  })
  test('where a check is the reward, it alone rates the run', async () => {
    const grading = await gradingOf({ expectations: [reads], checks: [{ ...saysDesert, reward: true }, says42] })
    expect(grading?.expectations.map(({ diagnostic = false }) => diagnostic)).toEqual([true, false, true])
    expect(grading?.summary).toEqual({ passed: 0, failed: 1, total: 1, pass_rate: 0 })
  })
  test('a reward that is undecided leaves nothing decided; diagnostics that are undecided are marked', async () => {
    const tools = { type: 'tool_used', name: 'Bash' }
    const checks = [{ ...tools, reward: true }, tools]
    const changes = { of: record({ final_response: '42', loaded: null }), judgeLine: null }
    const grading = await gradingOf({ expectations: [reads], checks }, changes)
    expect(grading?.summary).toMatchObject({ total: 0, pass_rate: 0 })
    expect(grading?.judge_errors?.map(({ diagnostic = false }) => diagnostic)).toEqual([true, false, true])
  })
  test('has metrics, times, claims, notes and the judge', async () => {
    const graded = await grade({ expectations: [reads] })
    const { grading, start = '', end = '', seconds = 0 } = graded ?? {}
    expect(grading).toMatchObject({
      execution_metrics: counted,
      timing: { executor_duration_seconds: 10 },
      claims: [{ claim: 'the total is right', verified: true }],
      user_notes_summary: { uncertainties: ['old data'], needs_review: [], workarounds: [] },
      judge: { engine: 'command', model: null, calls: 1, tokens: null, cost_usd: null },
    })
    expect(grading?.execution_metrics).not.toHaveProperty('files_created')
    expect(grading?.timing).not.toHaveProperty('total_duration_seconds')
    expect(grading?.timing?.grader_duration_seconds).toBe(seconds)
    expect(seconds).toBeGreaterThan(0)
    // two clocks, looked at one after the other
    expect(Math.abs((Date.parse(end) - Date.parse(start)) / 1000 - seconds)).toBeLessThan(1)
  })
  test('has the total duration where timing.json has no tokens that the aggregator of skill-creator could lose', async () => {
    const graded = await grade({ expectations: [reads] }, { of: record({ usage: null }) })
    expect(graded?.grading.timing?.total_duration_seconds).toBe(10)
  })
  test('has feedback on the eval only where the judge gave some', async () => {
    expect(await gradingOf({ expectations: [reads] })).not.toHaveProperty('eval_feedback')
    const sloppy = await gradingOf({ expectations: [reads] }, { judgeLine: await moody('sloppy') })
    expect(sloppy).not.toHaveProperty('eval_feedback')
    const grading = await gradingOf({ expectations: [reads] }, { judgeLine: judgeCommand('reader', 'feedback') })
    expect(grading?.eval_feedback).toEqual({
      suggestions: [{ reason: 'a wrong total would pass too' }],
      overall: 'thin',
    })
  })
  test('asks no judge when code decides everything', async () => {
    const grading = await gradingOf({ checks: [says42] }, { judgeLine: '/no/such/judge' })
    expect(grading?.summary).toEqual({ passed: 1, failed: 0, total: 1, pass_rate: 1 })
    for (const part of ['judge', 'judge_errors']) expect(grading).not.toHaveProperty(part)
    const nothing = { uncertainties: [], needs_review: [], workarounds: [] }
    expect(grading).toMatchObject({ claims: [], user_notes_summary: nothing })
  })
  test('without metrics.json is graded all the same', async () => {
    const grading = await gradingOf({ checks: [says42] }, { runFolder: await temporary() })
    expect(grading?.summary.passed).toBe(1)
    expect(grading).not.toHaveProperty('execution_metrics')
  })
})

describe('what could not be decided stays outside the rate', () => {
  const both = { expectations: [reads, misses], checks: [says42] }
  test.each([
    ['a judge that falls over', ['crash'], 'exit code 3: judge fell over', 2],
    ['a judge that gives no answer twice', ['prose'], 'no usable answer in two rounds', 2],
    ['a judge that leaves one out twice', ['partial'], 'the judge gave no verdict', 1],
    ['a judge without evidence twice', ['bare'], 'without evidence', 2],
  ])('%s', async (_, moods, reason, errors) => {
    const grading = await gradingOf(both, { judgeLine: await moody(...moods) })
    const texts = grading?.judge_errors?.map((one) => one.reason)
    expect(texts).toEqual(Array(errors).fill(expect.stringContaining(reason)))
    expect(grading?.summary).toEqual({ passed: 3 - errors, failed: 0, total: 3 - errors, pass_rate: 1 })
    expect(grading?.expectations.at(-1)).toMatchObject({ decided_by: 'check:contains', passed: true })
  })
  test('a check that can not be tried', async () => {
    const grading = await gradingOf({ checks: [says42, { type: 'regex', pattern: '(' }] })
    expect(grading?.judge_errors).toEqual([
      { text: 'The final answer matches /(/', reason: expect.stringContaining('/(/') },
    ])
    expect(grading?.summary).toEqual({ passed: 1, failed: 0, total: 1, pass_rate: 1 })
  })
})

describe('other ends of a run', () => {
  const criteria = { expectations: [reads], checks: [says42] }
  const late = record({ status: 'timed_out', duration_ms: 300_040 })
  const failed = record({ status: 'failed', error: { kind: 'crash', message: 'x' } })
  test('a timeout fails everything and asks nobody', async () => {
    const grading = await gradingOf(criteria, { of: late, judgeLine: '/no/such/judge' })
    const verdict = { passed: false, evidence: 'The run timed out after 300 s', decided_by: 'timeout' }
    expect(grading?.expectations).toMatchObject([{ ...reads, ...verdict }, verdict])
    expect(grading?.summary).toEqual({ passed: 0, failed: 2, total: 2, pass_rate: 0 })
    expect(grading).not.toHaveProperty('judge')
  })
  test.each([
    ['a timeout that is to be excluded', criteria, { of: late, onTimeout: 'exclude' as const }],
    ['a failed run', criteria, { of: failed }],
    ['a cancelled run', criteria, { of: record({ status: 'cancelled' }) }],
    ['a case without criteria', {}, {}],
    ['a timeout of a case without criteria', {}, { of: late }],
  ])('%s is not graded', async (_, parts, changes) => expect(await grade(parts, changes)).toBeNull())

  test('an abort is no grading', async () => {
    const judgeLine = await moody('hang')
    await expect(grade(criteria, { judgeLine, signal: AbortSignal.timeout(300) })).rejects.toThrow('timeout')
  })
})

describe('graded_key', () => {
  const judge = { name: 'command', model: null, command: 'judge' }
  const base = { expectations: [reads], checks: [says42] }
  const key = (parts: object = {}, changes: Partial<Parameters<typeof hashGradingInputs>[0]> = {}) =>
    hashGradingInputs({ runKey: 'k', case: suiteCase({ ...base, ...parts }), judge, onTimeout: 'fail', ...changes })
  const file = { path: 'in.csv', source: '/a/in.csv', kind: 'file', sha256: 'x', bytes: 1 }

  test('is in the grading, the same as computed before it', async () => {
    const grading = await gradingOf({ ...base })
    const line = judgeCommand('reader')
    expect(grading?.graded_key).toBe(key({}, { judge: { name: 'command', model: null, command: line } }))
  })
  test.each([
    ['the run', key({}, { runKey: 'other' })],
    ['a check', key({ checks: [saysDesert] })],
    ['the expected output', key({ expected_output: 'a table' })],
    ['an input', key({ files: [file] })],
    ['the judge', key({}, { judge: { ...judge, command: 'other' } })],
    ['what a timeout means', key({}, { onTimeout: 'exclude' })],
    ['how often it is judged', key({}, { samples: 3 })],
    ['whether evidence is required', key({}, { requireEvidence: true })],
  ])('changes with %s', (_, other) => expect(other).not.toBe(key()))
  test('is the hash of the canonical JSON of all of it, wherever it is put together', () => {
    const judging = { kind: 'verdict' } as const
    const one = suiteCase({ ...base, files: [file], judging })
    const { prompt, expected_output, expectations, checks } = one
    const asked = { ...judge, prompt, expected_output, template: judgePromptSource, samples: 3 }
    const all = {
      onTimeout: 'fail',
      checks,
      expectations,
      judge: asked,
      judging,
      prompt,
      version: 'verdict-1',
    }
    const inputs = [{ place: file.path, content: file.sha256 }]
    for (const runKey of ['', 'k', '"runKey":""']) {
      const whole = sha256(canonicalJson({ ...all, runKey, inputs, fastFail: true }))
      const by = { case: one, judge, onTimeout: 'fail', samples: 3, fastFail: true } as const
      expect(hashGradingInputs({ runKey, ...by })).toBe(whole)
    }
  })
  test.each([
    ['the name of the case', key({ eval_name: 'other' }), key()],
    ['where an input lies', key({ files: [{ ...file, source: '/b/in.csv' }] }), key({ files: [file] })],
    ['the judge, where code decides everything', key({ expectations: [] }, { judge: null }), key({ expectations: [] })],
    [
      'how no command is written',
      key({}, { judge: { name: 'a', model: null } }),
      key({}, { judge: { name: 'a', model: null, command: undefined } }),
    ],
  ])('does not change with %s', (_, one, other) => expect(one).toBe(other))
})

test('grading leaves the run folder as it was', async () => {
  const runFolder = await temporary()
  await write(runFolder, files)
  await gradingOf({ expectations: [reads], checks: [{ type: 'command', run: 'rm -rf *' }] }, { runFolder })
  await rm(path.join(runFolder, 'outputs/report.md')) // throws if it is gone
})
