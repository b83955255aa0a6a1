/** The command line for a finished benchmark, with its skill's configuration file. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { pathExists } from '../../base/fs/files.ts'
import { isSubpath } from '../../base/sandbox/paths_below.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { type ConfiguredArguments, type ConfigureRequest, configureCommand } from './configure.ts'
import { findOwningPackage } from './enclosing_package.ts'
import { announceConfig, type HowToAnnounce } from './report_config.ts'

type Request<T> = Omit<ConfigureRequest<T>, 'start' | 'skill'> & {
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
  const configured = await configureCommand({ ...request, ...(await locateBenchmarkConfig(path.resolve(benchmark))) })
  return await announceConfig({ of: benchmark, configured }, print)
}

/** An agent's output or a downloaded benchmark must not bring its own settings. */
export async function locateBenchmarkConfig(folder: string): Promise<{ start: string; skill: string | null }> {
  if (!(await pathExists(benchmarkPaths(folder).plan))) return { start: process.cwd(), skill: null }
  const { path: skill } = (await readPlan(folder)).skill
  if (!path.isAbsolute(skill)) return { start: process.cwd(), skill: null } // the plan does not come from Whetstone
  const given = await realpath(folder)
  const isGiven = isSubpath(await realpath(skill).catch(() => skill), given)
  return { start: path.join(skill, 'evals'), skill: isGiven ? given : ((await findOwningPackage(skill)) ?? skill) }
}
