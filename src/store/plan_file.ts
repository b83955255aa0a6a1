/** Writes plan.json run by run. */
import { type Plan, plan as planSchema, runSpec } from '../../schemas/plan.ts'
import { writeAtomic } from '../base/files.ts'
import { checkAs } from '../base/json.ts'
import { listedText } from './listed_text.ts'
import { benchmarkPaths } from './paths.ts'

/** The bytes are those of every artefact; each run is checked before it is written. */
export async function writePlanFile(folder: string, plan: Plan): Promise<void> {
  const file = benchmarkPaths(folder).plan
  const frame = checkAs(planSchema, { ...plan, runs: [] }, file)
  const check = (run: Plan['runs'][number]) => checkAs(runSpec, run, `${file}, ${run.run_id}`)
  await writeAtomic(file, listedText({ frame, name: 'runs', items: plan.runs, check }))
}
