/** What a run of each contender cost earlier in this workspace, for estimates. */
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import { canonicalJson } from '../../base/json/json.ts'
import { listBenchmarks, readCountedRun, readPlan } from '../../store/store.ts'

const mostFolders = 10
const mostRuns = 200

/** Mean dollars of a run with its grading, by engine and judge; null: no earlier run with a known cost. */
export async function readMeanRunCost(
  workspace: string,
  engine: EngineChoice,
  judge: Plan['options']['judge'],
): Promise<number | null> {
  const costs: number[] = []
  const found = await Promise.all([listBenchmarks(workspace, 'ranks'), listBenchmarks(workspace)])
  for (const folder of found.flatMap((some) => some.slice(0, mostFolders))) {
    const plan = await readPlan(folder).catch(() => null)
    if (plan === null || canonicalJson(plan.options.judge) !== canonicalJson(judge)) continue
    for (const spec of plan.runs) {
      if (costs.length >= mostRuns) break
      if (canonicalJson(spec.engine) !== canonicalJson(engine)) continue
      const stored = readCountedRun(folder, spec.run_id)
      const [usd, grader] = [stored?.record.cost?.usd, stored?.grading?.judge]
      if (usd !== undefined) costs.push(usd + (grader?.cost_usd ?? 0))
    }
  }
  return costs.length === 0 ? null : costs.reduce((sum, one) => sum + one, 0) / costs.length
}
