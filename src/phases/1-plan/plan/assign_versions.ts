/** Gives each run of a plan a version of the skill of its own, and leaves out runs: for flows that compare more than two versions. */
import type { Plan, RunSpec } from '../../../../schemas/plan.ts'
import type { Skill } from '../../../../schemas/suite.ts'
import { computePlanId, computeRunKey } from '../keys/plan_keys.ts'
import { countCalls } from './plan.ts'

/** `choose`: the version of a run; null: the run is left out. */
export function assignVersions(plan: Plan, choose: (run: RunSpec) => Skill | null): Plan {
  const runs = plan.runs.flatMap(({ key: _, ...run }) => {
    const skill = choose({ ...run, key: '' })
    if (skill === null) return []
    const spec = { ...run, skill }
    return [{ ...spec, key: computeRunKey(spec) }]
  })
  const { cases, options } = plan
  return { ...plan, runs, plan_id: computePlanId(runs, options), calls: countCalls(runs, cases, options) }
}
