/** How a benchmark on disk ended, without validating its runs. */
import { existsSync } from 'node:fs'
import * as z from 'zod'
import { type Stop, stop } from '../../../schemas/limits.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readJson } from '../../base/json/json.ts'
import { benchmarkPaths } from '../../store/paths.ts'

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
