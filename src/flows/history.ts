/** What runs took in earlier benchmarks of a workspace, on the same engine and model under the same judge. */
import type { Plan } from '../../schemas/plan.ts'
import { canonicalJson } from '../base/json.ts'
import { listBenchmarks, readPlan, readRun } from '../store/store.ts'
import { Observed } from './observed.ts'

/** Runs that are looked at, of the newest benchmarks first: enough for a mean, few enough to cost no time. */
const mostRuns = 300
const mostBenchmarks = 10

/** `except`: the benchmark that is being made. Nothing that can be read: nothing is known. */
export async function readHistory(workspace: string, plan: Plan, except: string | null = null): Promise<Observed> {
  const observed = new Observed()
  const folders = (await listBenchmarks(workspace)).filter((folder) => folder !== except)
  for (const folder of folders.slice(0, mostBenchmarks)) {
    const other = await readPlan(folder).catch(() => null)
    if (other === null || !isAlike(other, plan)) continue
    for (const spec of other.runs) {
      if (observed.runs >= mostRuns) return observed
      const stored = await readRun(folder, spec.run_id)
      if (stored !== null) observed.addStored(spec, stored)
    }
  }
  return observed
}

/** Another model costs another price. */
function isAlike(other: Plan, plan: Plan): boolean {
  const of = ({ options: { engine, judge } }: Plan) => canonicalJson({ engine, judge })
  return of(other) === of(plan)
}
