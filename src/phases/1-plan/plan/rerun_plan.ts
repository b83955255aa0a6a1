/** Adds repeated runs to a plan, each with the next free run number of its case and configuration. */
import type { Plan, RunSpec } from '../../../../schemas/plan.ts'
import { UserError } from '../../../base/errors/error.ts'
import { didYouMean } from '../../../base/text/did_you_mean.ts'
import { computeRunKey } from '../keys/plan_keys.ts'

/** Returns the plan with one more run, and that run. Throws UserError for an unknown run. */
export function addRerun(plan: Plan, runId: string): { plan: Plan; spec: RunSpec } {
  const old = plan.runs.find((run) => run.run_id === runId)
  if (old === undefined) throw new UserError(`--rerun "${runId}": no such run in the benchmark`, hint(plan, runId))
  const beside = plan.runs.filter((run) => run.eval_id === old.eval_id && run.configuration === old.configuration)
  const number = Math.max(...beside.map((run) => run.run_number)) + 1
  const { key: _, ...shape } = old
  const repeated = {
    ...shape,
    run_id: old.run_id.replace(/[^/]*$/, `run-${number}`),
    run_number: number,
    rerun_of: old.run_id,
  }
  const spec = { ...repeated, key: computeRunKey(repeated) }
  return { plan: extendPlan(plan, [spec]), spec }
}

/** Adds the reruns of an earlier plan of the same benchmark to a regenerated plan. */
export function keepReruns(earlier: Plan | null, plan: Plan): Plan {
  const known = new Set(plan.runs.map((run) => run.run_id))
  const reruns = earlier?.runs.filter((run) => run.rerun_of !== undefined && !known.has(run.run_id)) ?? []
  return extendPlan(plan, reruns)
}

function extendPlan(plan: Plan, runs: readonly RunSpec[]): Plan {
  if (runs.length === 0) return plan
  const isJudged = (run: RunSpec) =>
    plan.cases.some((one) => one.eval_id === run.eval_id && one.expectations.length > 0)
  const judged = plan.options.judge === null ? 0 : runs.filter(isJudged).length * (plan.options.judge_samples ?? 1)
  const { agent_runs, judge_calls } = plan.calls
  return {
    ...plan,
    runs: [...plan.runs, ...runs],
    calls: { agent_runs: agent_runs + runs.length, judge_calls: judge_calls + judged },
  }
}

function hint(plan: Plan, runId: string): string {
  const ids = plan.runs.map((run) => run.run_id)
  return didYouMean(runId, ids) ?? `runs have names such as ${ids[0] ?? 'eval-1/with_skill/run-1'}`
}
