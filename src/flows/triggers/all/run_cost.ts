/** Reads what a run of a query cost earlier in this workspace. */
import type { Plan } from '../../../../schemas/plan.ts'
import { triggerMatrix } from '../../../../schemas/trigger_matrix.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { listBenchmarks } from '../../../store/store.ts'

/** Mean dollars over the newest measurement of many skills on this engine and model; null: none with known costs. */
export async function readRunCost(workspace: string, { options: { engine } }: Plan): Promise<number | null> {
  for (const folder of await listBenchmarks(workspace, 'triggers')) {
    const other = tryReadArtefact(triggerMatrix, benchmarkPaths(folder).triggerMatrix)
    if (other === null || other.engine.name !== engine.name || other.engine.model !== engine.model) continue
    const known = other.runs.flatMap(({ cost }) => (cost === null ? [] : [cost.usd]))
    if (known.length > 0) return known.reduce((sum, one) => sum + one, 0) / known.length
  }
  return null
}
