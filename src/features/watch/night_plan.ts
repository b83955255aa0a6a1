/** Chooses the runs of a baseline or a night: the skill alone, cases in turn, each run with a number of its own. */
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { computePlanId, computeRunKey } from '../../phases/1-plan/keys/plan_keys.ts'
import { assignVersions } from '../../phases/1-plan/plan/plan.ts'

/** The cases that count, in the order of the suite. */
export function listWatchedCases(plan: Plan): Plan['cases'] {
  return plan.cases.filter((one) => one.cannot_run === null && one.quarantine === undefined)
}

export function planBaseline(plan: Plan): Plan {
  const watched = new Set(listWatchedCases(plan).map(({ eval_id }) => eval_id))
  return keepCandidate(plan, ({ eval_id }) => watched.has(eval_id))
}

/** The next `size` runs after `before` earlier ones in the rotation; `plan` has enough runs of each case. */
export function planNight(plan: Plan, { before, size, after }: { before: number; size: number; after: number }): Plan {
  const cases = listWatchedCases(plan)
  const wanted = new Map<number, number[]>()
  for (let at = before; at < before + size; at += 1) {
    const eval_id = cases[at % cases.length]?.eval_id ?? 0
    wanted.set(eval_id, [...(wanted.get(eval_id) ?? []), after + Math.floor(at / cases.length) + 1])
  }
  const kept = keepCandidate(plan, ({ eval_id, run_number }) => run_number <= (wanted.get(eval_id)?.length ?? 0))
  const runs = kept.runs.map((run) => renumberRun(run, wanted.get(run.eval_id)?.[run.run_number - 1] ?? 0))
  const options = { ...kept.options, runs: Math.max(...runs.map(({ run_number }) => run_number)) }
  return { ...kept, runs, options, plan_id: computePlanId(runs, options) }
}

function keepCandidate(plan: Plan, isKept: (run: RunSpec) => boolean): Plan {
  const { candidate_configuration: candidate } = plan
  const kept = assignVersions(plan, (run) => (run.configuration === candidate && isKept(run) ? run.skill : null))
  return { ...kept, watch: true, baseline_configuration: candidate }
}

function renumberRun({ key: _, ...run }: RunSpec, run_number: number): RunSpec {
  const spec = { ...run, run_number, run_id: run.run_id.replace(/run-\d+$/, `run-${run_number}`) }
  return { ...spec, key: computeRunKey(spec) }
}
