/** The command line of a command on a suite or a package, with the configuration file that is nearest to it. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { exists } from '../../base/files.ts'
import { announced, type HowToAnnounce } from './announce.ts'
import { type Configured, type ConfigureRequest, configure } from './configure.ts'
import { packageAbove } from './package_above.ts'

type Request<T> = Omit<ConfigureRequest<T>, 'start' | 'skill'> & {
  /** A skill, a package, a suite or a folder of such. */
  place: string
  /** A file whose folder is looked in first; absent: the place, and its evals/. */
  file?: string | undefined
  print: HowToAnnounce
}

/** Null after --print-config. */
export async function configuredFor<T>({
  place,
  file,
  print,
  ...request
}: Request<T>): Promise<Configured<T>['args'] | null> {
  const folder = await folderOf(path.resolve(place))
  const start = file === undefined ? await withEvals(folder) : path.dirname(path.resolve(file))
  const configured = await configure({ ...request, start, skill: await packageAbove(folder) })
  return await announced({ of: place, configured }, print)
}

async function withEvals(folder: string): Promise<string> {
  const evals = path.join(folder, 'evals')
  return (await exists(evals)) ? evals : folder
}

async function folderOf(place: string): Promise<string> {
  const info = await stat(place).catch(() => null)
  return info?.isFile() ? path.dirname(place) : place
}
