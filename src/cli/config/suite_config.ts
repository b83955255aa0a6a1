/** The command line for a suite or package, with the nearest configuration file. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { pathExists } from '../../base/fs/files.ts'
import { type ConfiguredArguments, type ConfigureRequest, configureCommand } from './configure.ts'
import { announceConfig, type HowToAnnounce } from './report_config.ts'

type Request<T> = Omit<ConfigureRequest<T>, 'start'> & {
  /** A skill, a package, a suite, or a folder of these. */
  place: string
  /** A file whose folder is searched first; absent: the place, and its evals/. */
  file?: string | undefined
  print: HowToAnnounce
}

/** null after --print-config. */
export async function configureForSuite<T>({
  place,
  file,
  print,
  ...request
}: Request<T>): Promise<ConfiguredArguments<T>['args'] | null> {
  const folder = await toSuiteFolder(path.resolve(place))
  const start = file === undefined ? await withEvals(folder) : path.dirname(path.resolve(file))
  const configured = await configureCommand({ ...request, start })
  return await announceConfig({ of: place, configured }, print)
}

async function withEvals(folder: string): Promise<string> {
  const evals = path.join(folder, 'evals')
  return (await pathExists(evals)) ? evals : folder
}

async function toSuiteFolder(place: string): Promise<string> {
  const info = await stat(place).catch(() => null)
  return info?.isFile() ? path.dirname(place) : place
}
