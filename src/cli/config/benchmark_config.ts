/** The command line for a finished benchmark, with its skill's configuration file. */
import path from 'node:path'
import { pathExists } from '../../base/fs/files.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { type ConfiguredArguments, type ConfigureRequest, configureCommand } from './configure.ts'
import { announceConfig, type HowToAnnounce } from './report_config.ts'

type Request<T> = Omit<ConfigureRequest<T>, 'start'> & {
  /** A benchmark; any other folder has no skill, so the search starts in the current folder. */
  benchmark: string
  print: HowToAnnounce
}

/** null after --print-config. */
export async function configureForBenchmark<T>({
  benchmark,
  print,
  ...request
}: Request<T>): Promise<ConfiguredArguments<T>['args'] | null> {
  const start = await locateBenchmarkConfig(path.resolve(benchmark))
  const configured = await configureCommand({ ...request, start })
  return await announceConfig({ of: benchmark, configured }, print)
}

/** The first folder to search. An agent's output or a downloaded benchmark must not bring its own settings. */
export async function locateBenchmarkConfig(folder: string): Promise<string> {
  if (!(await pathExists(benchmarkPaths(folder).plan))) return process.cwd()
  const { path: skill } = (await readPlan(folder)).skill
  return path.isAbsolute(skill) ? path.join(skill, 'evals') : process.cwd() // else the plan does not come from Whetstone
}
