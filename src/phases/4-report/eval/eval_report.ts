/** The result of eval as a report for AAM packages. Pure. */
import type { EvalReport } from '../../../../schemas/eval_report.ts'
import type { EvalCaseResult, EvalResult } from '../../../../schemas/eval_result.ts'
import { findServingProvider } from '../../../engines/models/model_family.ts'

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
