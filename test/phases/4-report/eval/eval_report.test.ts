/** The report of eval, field by field: what in the result or the machine changes each, and nothing else; and what diff and trend make of it. */
import { describe, expect, test } from 'vitest'
import { evalReport } from '../../../../schemas/eval_report.ts'
import type { EvalCaseResult, EvalResult } from '../../../../schemas/eval_result.ts'
import { diffReports, evalDiffSections, toReportRate } from '../../../../src/features/diff/eval_reports.ts'
import { buildEvalReport, type MachineInfo } from '../../../../src/phases/4-report/eval/eval_verdict.ts'

const machine: MachineInfo = { os: 'linux', arch: 'x64', whetstone: '1.0.0', node: '22.1.0', python: '3.12.3' }
const one: EvalCaseResult = {
  ...{ eval_id: 1, eval_key: 'one', eval_name: 'one', target: 'skill:a', category: null },
  ...{ verdict: 'pass', reason: null, warnings: [], run: 'eval-1-one/subject/run-1' },
  ...{ duration_seconds: 18, cost_usd: 0.1 },
  checks: [
    { type: 'contains', text: 'contains a', passed: true, evidence: 'a' },
    { type: 'contains', text: 'contains b', passed: true, evidence: 'b' },
    { type: 'file_exists', text: 'made', passed: true, evidence: 'there' },
  ],
  judge: { result: 'pass', reason: 'All of it.', engine: 'anthropic', model: 'claude-x' },
  output_snippet: 'Hello',
}
const result: EvalResult = {
  ...{ schema_version: 1, format: 'aam', suite: '/p/evals/eval-config.json', root: '/p' },
  ...{ name: '@o/p', version: '1.0.0' },
  ...{ folder: '/ws/evals/x', started_at: '2026-02-22T14:30:00Z', duration_seconds: 87 },
  engine: { name: 'claude-code', model: 'opus' },
  agent: { version: '2.1.0', model: 'claude-opus-x', provider: 'anthropic', session_id: 'sess-1' },
  judge: { name: 'anthropic', model: 'sonnet' },
  timeout_seconds: 120,
  summary: { total: 1, passed: 1, failed: 0, skipped: 0, pass_rate: 1 },
  cases: [one],
  warnings: [],
}
const made = (more: Partial<EvalResult> = {}, on: Partial<MachineInfo> = {}) =>
  evalReport.parse(buildEvalReport({ ...result, ...more }, { ...machine, ...on }, '2026-02-22T14-30-00Z'))
const withCase = (more: Partial<EvalCaseResult>) => made({ cases: [{ ...one, ...more }] })

/** The paths at which two values differ. */
function differing(a: unknown, b: unknown, at = ''): string[] {
  if (JSON.stringify(a) === JSON.stringify(b)) return []
  const isBoth = [a, b].every((value) => typeof value === 'object' && value !== null)
  if (!isBoth) return [at]
  const [left, right] = [new Map(Object.entries(Object(a))), new Map(Object.entries(Object(b)))]
  const keys = [...new Set([...left.keys(), ...right.keys()])]
  return keys.flatMap((key) => differing(left.get(key), right.get(key), at === '' ? key : `${at}.${key}`))
}

test('of an ordinary run: every field of the reference', () => {
  expect(made()).toEqual({
    version: 1,
    id: 'eval-run-2026-02-22T14-30-00Z',
    timestamp: '2026-02-22T14:30:00Z',
    duration_seconds: 87,
    config: {
      ...{ engine: 'claude-code', engine_version: '2.1.0' },
      ...{ judge: 'claude-x', judge_configured: 'sonnet', timeout: 120 },
    },
    agent: {
      ...{ runtime: 'claude-code', runtime_version: '2.1.0', model: 'claude-opus-x', model_provider: 'anthropic' },
      session_id: 'sess-1',
    },
    judge: { model: 'claude-x', model_provider: 'anthropic' },
    environment: {
      ...{ os: 'linux', arch: 'x64', aam_version: null, whetstone_version: '1.0.0' },
      ...{ node_version: '22.1.0', python_version: '3.12.3' },
    },
    package: { name: '@o/p', version: '1.0.0' },
    summary: { total: 1, passed: 1, failed: 0, skipped: 0, pass_rate: 1 },
    cases: [
      {
        ...{ name: 'one', target: 'skill:a', verdict: 'PASS', duration_seconds: 18 },
        deterministic_checks: { contains: 'PASS', files_created: 'PASS' },
        judge_verdict: { result: 'PASS', reason: 'All of it.', model: 'claude-x' },
        agent_output_snippet: 'Hello',
      },
    ],
  })
})

test.each<[string, ReturnType<typeof made>, string[]]>([
  ['the engine', made({ engine: { name: 'codex', model: 'opus' } }), ['config.engine', 'agent.runtime']],
  [
    'its version',
    made({ agent: { ...result.agent, version: '3' } }),
    ['config.engine_version', 'agent.runtime_version'],
  ],
  ['who serves that', made({ agent: { ...result.agent, provider: 'p' } }), ['agent.model_provider']],
  ['the judge that was chosen', made({ judge: { name: 'anthropic', model: 'haiku' } }), ['config.judge_configured']],
  [
    'the judge that answered',
    withCase({ judge: { ...judgeOf(), engine: 'openai', model: 'gpt-x' } }),
    ['config.judge', 'judge.model', 'judge.model_provider', 'cases.0.judge_verdict.model'],
  ],
  [
    'no judge',
    made({ judge: null, cases: [{ ...one, judge: null }] }),
    ['config.judge', 'config.judge_configured', 'judge', 'cases.0.judge_verdict'],
  ],
  [
    'the sums',
    made({ summary: { total: 3, passed: 1, failed: 1, skipped: 1, pass_rate: 0.5 } }),
    ['total', 'failed', 'skipped', 'pass_rate'].map((name) => `summary.${name}`),
  ],
  ['a fail', withCase({ verdict: 'fail', reason: 'it broke' }), ['cases.0.verdict', 'cases.0.error']],
  ['a skip', withCase({ verdict: 'skip', reason: 'no server' }), ['cases.0.verdict', 'cases.0.error']],
  [
    'a check',
    withCase({ checks: one.checks.map((check, index) => ({ ...check, passed: index !== 1 })) }),
    ['cases.0.deterministic_checks.contains'],
  ],
  ['the verdict of the judge', withCase({ judge: { ...judgeOf(), result: 'fail' } }), ['cases.0.judge_verdict.result']],
])('%s changes its own fields alone', (_, other, paths) => expect(differing(made(), other)).toEqual(paths))

function judgeOf() {
  return one.judge ?? { result: 'pass' as const, reason: '', engine: null, model: null }
}

test.each<[string, string | null, string | null]>([
  ['anthropic', null, 'anthropic'],
  ['claude-code', 'sonnet', 'anthropic'],
  ['codex', 'gpt-5.5', 'openai'],
  ['openai', 'llama3.3', 'openai'],
  ['opencode', 'openai/some-model', 'openai'],
  ['opencode', 'claude-x', 'anthropic'],
  ['opencode', 'else/claude-x', null],
  ['command', 'claude-x', null],
])('a judge %s (%s) is served by %s', (name, model, provider) => {
  const { judge } = made({ judge: { name, model }, cases: [{ ...one, judge: null }] })
  expect(judge).toEqual({ model, model_provider: provider })
})

describe('diff and trend', () => {
  const named = (report: ReturnType<typeof made>, file = 'a.json') => ({ file, report })
  test.each<[string, ReturnType<typeof made>, string[]]>([
    ['the same', made(), []],
    ['the package', made({ name: 'q' }), ['package']],
    ['its version', made({ version: '2' }), ['package version']],
    ['the engine', made({ engine: { name: 'codex', model: 'opus' } }), ['engine']],
    ['its version', made({ agent: { ...result.agent, version: '3' } }), ['engine version']],
    ['the model', made({ agent: { ...result.agent, model: 'm' } }), ['model']],
    ['the judge', withCase({ judge: { ...judgeOf(), model: 'm' } }), ['judge']],
    ['the time limit', made({ timeout_seconds: 30 }), ['timeout']],
    ['the machine', made({}, { arch: 'arm64' }), ['machine']],
  ])('%s that was not the same is named', (_, other, what) => {
    expect(diffReports(named(made()), named(other)).provenance.map((each) => each.what)).toEqual(what)
  })
  test.each<[EvalCaseResult['verdict'], EvalCaseResult['verdict'], string]>([
    ['pass', 'pass', 'same'],
    ['pass', 'fail', 'regressed'],
    ['fail', 'pass', 'fixed'],
    ['pass', 'skip', 'other'],
    ['skip', 'fail', 'other'],
  ])('a case that went from %s to %s: %s', (before, after, change) => {
    const { cases } = diffReports(named(withCase({ verdict: before })), named(withCase({ verdict: after })))
    expect(cases).toMatchObject([{ name: 'one', change }])
  })
  test('a case that regressed, as a table', () => {
    const diff = diffReports(named(made()), named(withCase({ verdict: 'fail', reason: 'it broke' })))
    const rows = [['one', 'PASS', 'FAIL', 'regressed', 'it broke']]
    expect(evalDiffSections(diff)).toEqual([{ title: 'Cases', header: ['case', 'before', 'after', '', 'why'], rows }])
  })
  test('a report with fields of others is read as ours are', () => {
    const { environment, ...others } = made()
    const theirs = evalReport.parse({ ...others, environment: { ...environment, aam_version: '0.5.0' }, more: 1 })
    expect(toReportRate(named(theirs))).toEqual({
      ...{ report: 'a.json', id: theirs.id, timestamp: theirs.timestamp, package: '@o/p', version: '1.0.0' },
      ...{ engine: 'claude-code', engine_version: '2.1.0', model: 'claude-opus-x', judge: 'claude-x' },
      ...{ total: 1, passed: 1, failed: 0, skipped: 0, pass_rate: 1 },
    })
  })
})
