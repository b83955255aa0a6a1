/** The verdict on a case of eval, pass, fail, or skip if it can't be decided, and the report for AAM packages. Pure. */
import type { EvalReport } from '../../../../schemas/eval_report.ts'
import type { EvalCaseResult, EvalResult, EvalSummary } from '../../../../schemas/eval_result.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import { keepRated } from '../../../../schemas/pass_rate.ts'
import type { FailureKind, RunRecord } from '../../../../schemas/run.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { roundDollars } from '../../../base/totals.ts'
import { findServingProvider } from '../../../engines/models/model_family.ts'

export interface JudgedRun {
  /** Relative to the result folder. */
  run: string
  record: RunRecord
  grading: Grading | null
}

const snippetLength = 500

/**
 * `ran` null: the case did not run, because it can't or because the eval was stopped early. `crashName` begins the reason where the agent
 * crashed.
 */
export function caseResult(
  one: SuiteCase,
  ran: JudgedRun | null,
  crashName = 'the agent did not complete',
): EvalCaseResult {
  const shared = {
    eval_id: one.eval_id,
    eval_key: one.eval_key,
    eval_name: one.eval_name,
    target: one.target ?? null,
    category: one.category ?? null,
    ...(one.owners && { owners: one.owners }),
    ...(one.quarantine !== undefined && { quarantine: one.quarantine }),
    warnings: [],
  }
  if (ran === null) {
    const reason = one.cannot_run ?? 'the case was not run'
    const nothing = { run: null, duration_seconds: null, cost_usd: null, checks: [], judge: null, output_snippet: '' }
    return { ...shared, verdict: 'skip', reason, ...nothing }
  }
  const { record, grading } = ran
  return {
    ...shared,
    ...decideCaseVerdict(one, ran, crashName),
    warnings: (grading?.expectations ?? []).flatMap(({ warning }) => warning ?? []),
    run: ran.run,
    duration_seconds: record.duration_ms / 1000,
    cost_usd: sumCaseCost(record, grading),
    checks: listCheckResults(grading),
    judge: describeCaseJudge(grading),
    ...(grading?.injection_attempts && { injection_attempts: grading.injection_attempts }),
    output_snippet: cutSnippet(record.final_response),
  }
}

/** Failures of infrastructure or judges skip the case, an agent that times out fails it; the first failure is the reason. */
function decideCaseVerdict(
  one: SuiteCase,
  { record, grading }: JudgedRun,
  crashName: string,
): Pick<EvalCaseResult, 'verdict' | 'reason'> {
  switch (record.status) {
    case 'failed':
      if (isOwnCrash(one, record.error.kind))
        return { verdict: 'fail', reason: `${crashName}: ${record.error.message}` }
      return { verdict: 'skip', reason: `${record.error.kind}: ${record.error.message}` }
    case 'cancelled':
      return { verdict: 'skip', reason: 'the run was cancelled' }
    case 'timed_out':
      return { verdict: 'fail', reason: `the agent did not end within ${record.duration_ms / 1000} s` }
    case 'completed':
      break
  }
  if (one.checks.length + one.expectations.length === 0) return { verdict: 'skip', reason: 'the case has no criteria' }
  if (grading === null) return { verdict: 'skip', reason: 'the run was not graded' }
  const failed = keepRated(grading.expectations).find(({ passed }) => !passed)
  if (failed !== undefined) return { verdict: 'fail', reason: `${failed.text}: ${failed.evidence}` }
  const [error] = grading.judge_errors ?? []
  if (error !== undefined) return { verdict: 'skip', reason: `judge error: ${error.reason}` }
  return { verdict: 'pass', reason: null }
}

/** By the documents of formats with a judge of their own, an agent that crashes has failed; servers, limits and this machine are not its fault. */
function isOwnCrash({ judging }: SuiteCase, kind: FailureKind): boolean {
  return judging !== undefined && (kind === 'crash' || kind === 'bad_output')
}

function listCheckResults(grading: Grading | null): EvalCaseResult['checks'] {
  return (grading?.expectations ?? []).flatMap(({ decided_by, text, passed, evidence }) =>
    decided_by?.startsWith('check:') ? [{ type: decided_by.slice('check:'.length), text, passed, evidence }] : [],
  )
}

function describeCaseJudge(grading: Grading | null): EvalCaseResult['judge'] {
  if (grading === null) return null
  const { engine = null, model = null } = grading.judge ?? {}
  const by = { engine, model }
  const [error] = grading.judge_errors ?? []
  if (error !== undefined) return { result: 'error', reason: error.reason, ...by }
  const asked = grading.expectations.filter(({ decided_by }) => decided_by === 'judge')
  if (asked.length === 0) return null
  const failed = asked.filter(({ passed }) => !passed)
  const told = (failed.length > 0 ? failed : asked).map(({ evidence }) => evidence)
  return { result: failed.length > 0 ? 'fail' : 'pass', reason: told.join('\n'), ...by }
}

/** null: a part of it is unknown. */
function sumCaseCost({ cost }: RunRecord, grading: Grading | null): number | null {
  if (cost === null) return null
  const judge = grading?.judge
  if (judge === undefined) return cost.usd
  return judge.cost_usd === null ? null : roundDollars(cost.usd + judge.cost_usd)
}

/** Cut between characters, never inside one. */
function cutSnippet(text: string): string {
  return [...text].slice(0, snippetLength).join('')
}

/** Skipped cases are not in the rate, and quarantined ones in no number. */
export function summarizeEval(all: readonly Pick<EvalCaseResult, 'verdict' | 'quarantine'>[]): EvalSummary {
  const cases = all.filter(({ quarantine }) => quarantine === undefined)
  const apart = all.length - cases.length
  const count = (verdict: EvalCaseResult['verdict']) => cases.filter((one) => one.verdict === verdict).length
  const [passed, failed, skipped] = [count('pass'), count('fail'), count('skip')]
  const decided = passed + failed
  return {
    total: cases.length,
    ...(apart > 0 && { quarantined: apart }),
    ...{ passed, failed, skipped },
    pass_rate: decided === 0 ? null : passed / decided,
  }
}

/** What the machine reports about itself; null: it has none. */
export interface MachineInfo {
  os: string
  arch: string
  whetstone: string
  node: string
  python: string | null
}

/** `name`: the report's own name, which makes its id. */
export function buildEvalReport(result: EvalResult, machine: MachineInfo, name: string): EvalReport {
  const { engine, agent, judge, summary } = result
  const asked = result.cases.find((one) => one.judge !== null && one.judge.model !== null)?.judge
  const judged = asked?.model ?? judge?.model ?? null
  return {
    version: 1,
    id: `eval-run-${name}`,
    timestamp: result.started_at,
    duration_seconds: result.duration_seconds,
    config: {
      engine: engine.name,
      engine_version: agent.version,
      judge: judge === null ? null : (judged ?? judge.name),
      ...(judge !== null && { judge_configured: judge.model ?? judge.name }),
      timeout: result.timeout_seconds,
    },
    agent: {
      runtime: engine.name,
      runtime_version: agent.version,
      model: agent.model,
      model_provider: agent.provider,
      session_id: agent.session_id,
    },
    judge:
      judge === null
        ? null
        : { model: judged, model_provider: findServingProvider({ name: asked?.engine ?? judge.name, model: judged }) },
    environment: {
      os: machine.os,
      arch: machine.arch,
      aam_version: null,
      whetstone_version: machine.whetstone,
      node_version: machine.node,
      python_version: machine.python,
    },
    package: { name: result.name, version: result.version },
    summary,
    cases: result.cases.map(toReportCase),
  }
}

const verdicts = { pass: 'PASS', fail: 'FAIL', skip: 'SKIP' } as const
const results = { pass: 'PASS', fail: 'FAIL', error: 'SKIP' } as const

function toReportCase(one: EvalCaseResult): EvalReport['cases'][number] {
  return {
    name: one.eval_key ?? one.eval_name,
    target: one.target,
    verdict: verdicts[one.verdict],
    duration_seconds: one.duration_seconds,
    deterministic_checks: toCheckVerdicts(one),
    judge_verdict:
      one.judge === null
        ? null
        : { result: results[one.judge.result], reason: one.judge.reason, model: one.judge.model },
    agent_output_snippet: one.output_snippet,
    ...(one.reason !== null && { error: one.reason }),
  }
}

/** AAM's names for kinds of checks; others keep their own. */
const names: Readonly<Record<string, string>> = { file_exists: 'files_created' }

/** One verdict per kind: a kind passes if all its checks pass. */
function toCheckVerdicts({ checks }: EvalCaseResult): Record<string, 'PASS' | 'FAIL'> {
  const made: Record<string, 'PASS' | 'FAIL'> = {}
  for (const { type, passed } of checks) {
    const name = names[type] ?? type
    if (!passed) made[name] = 'FAIL'
    else made[name] ??= 'PASS'
  }
  return made
}
