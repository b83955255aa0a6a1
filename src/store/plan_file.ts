/** Writes plan.json run by run, and knows one by its beginning. */
import { closeSync, openSync, readSync } from 'node:fs'
import path from 'node:path'
import { type Plan, plan as planSchema, runSpec } from '../../schemas/plan.ts'
import { writeAtomic } from '../base/durable.ts'
import { checkAs } from '../base/json.ts'
import { ownFile } from '../base/own_file.ts'
import { listedText } from './listed_text.ts'
import { benchmarkPaths } from './paths.ts'

/** Bytes in which the id of a plan stands: before everything that is long. */
const start = 512

/** Whether a benchmark (its folder, absolute) is that of this plan, by the beginning of its plan.json; the rest of it is not looked at. */
export function isPlanned(folder: string, planId: string): boolean {
  const bytes = Buffer.alloc(start)
  if (ownFile(folder, path.basename(benchmarkPaths(folder).plan)) === null) return false
  try {
    const handle = openSync(benchmarkPaths(folder).plan, 'r')
    try {
      return bytes.toString('utf8', 0, readSync(handle, bytes)).includes(`\n  "plan_id": "${planId}"`)
    } finally {
      closeSync(handle)
    }
  } catch {
    return false // whoever reads all of it says what is wrong
  }
}

/** The bytes are those of every artefact; each run is checked before it is written. */
export async function writePlanFile(folder: string, plan: Plan): Promise<void> {
  const file = benchmarkPaths(folder).plan
  const frame = checkAs(planSchema, { ...plan, runs: [] }, file)
  const check = (run: Plan['runs'][number]) => checkAs(runSpec, run, `${file}, ${run.run_id}`)
  await writeAtomic(file, listedText({ frame, name: 'runs', items: plan.runs, check }))
}
