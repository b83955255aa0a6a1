/** Whether a run lies in its benchmark: in a folder that somebody gave away, a link leads anywhere. */
import { existsSync } from 'node:fs'
import { liesIn } from '../base/own_file.ts'
import type { Damage } from './damage.ts'
import { runPaths } from './paths.ts'

/** The place of a run that a link leads out of the folder above it; null: there is none, or no such run. */
export function strayIn(benchmark: string, runId: string): Damage | null {
  const { folder, outputs } = runPaths(benchmark, runId)
  const isStray = (above: string, place: string) => existsSync(place) && !liesIn(above, place)
  const file = isStray(benchmark, folder) ? folder : isStray(folder, outputs) ? outputs : null
  return file === null ? null : { file, message: `${file}: a link leads from there to another folder` }
}
