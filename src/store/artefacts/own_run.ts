/** Checks that a run is inside its benchmark: in a third-party folder, a link may lead anywhere. */
import { existsSync } from 'node:fs'
import { isInsideFolder } from '../../base/fs/inside_folder.ts'
import { runPaths } from '../paths.ts'
import type { Damage } from './damage.ts'

/** The path of a run that a link leads out of its parent folder; null: none, or the run does not exist. */
export function findStrayRun(benchmark: string, runId: string): Damage | null {
  const { folder, outputs } = runPaths(benchmark, runId)
  const isStray = (above: string, place: string) => existsSync(place) && !isInsideFolder(above, place)
  const file = isStray(benchmark, folder) ? folder : isStray(folder, outputs) ? outputs : null
  return file === null ? null : { file, message: `${file}: a link leads to another folder` }
}
