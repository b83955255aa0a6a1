/** How a benchmark on disk ended, without validating its runs, and its runs as the reports count them. */
import { existsSync } from 'node:fs'
import * as z from 'zod'
import type { Grading } from '../../../schemas/grading.ts'
import { type Stop, stop } from '../../../schemas/limits.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readJson } from '../../base/json/json.ts'
import type { Damage } from '../../store/artefacts/damage.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { type CountedRun, readCountedRun, readRepeatGradings } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'

const endingSchema = z.looseObject({
  metadata: z.looseObject({ stopped: stop.optional() }),
  complete: z.boolean().optional(),
})

/** What stopped it, by its last benchmark.json; null: nothing, or unreadable. */
export function readLastStop(folder: string): Promise<Stop | null> {
  return readJson(endingSchema, benchmarkPaths(folder).benchmark).then(
    ({ metadata }) => metadata.stopped ?? null,
    () => null,
  )
}

/** Whether a benchmark folder has a complete benchmark.json and all other reports. */
export async function isBenchmarkComplete(folder: string): Promise<boolean> {
  const { benchmark: file, reporting } = benchmarkPaths(folder)
  if (!(await pathExists(file)) || existsSync(reporting)) return false
  return readJson(endingSchema, file).then(
    (benchmark) => benchmark.complete === true,
    () => false,
  )
}

type Result = CountedRun & { again?: readonly Grading[] }

/** Keyed by run id, in plan order. */
export function readResults(folder: string, plan: Plan, context: FlowContext): Map<string, Result> {
  const results = new Map<string, Result>()
  const tell = (damage: Damage) =>
    context.emit({ type: 'artefact_damaged', ...damage, mended: 'ignored; the same bench command writes it again' })
  for (const { run_id, key } of plan.runs) {
    const stored = readCountedRun(folder, run_id, tell)
    if (stored === null || stored.record.key !== key) continue
    const again = [...readRepeatGradings(folder, run_id, tell).values()]
    results.set(run_id, again.length === 0 ? stored : { ...stored, again })
  }
  return results
}
