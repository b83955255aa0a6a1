/** The command line with the configuration file of what it is for: a skill, a suite or a benchmark. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { pathExists } from '../../base/fs/files.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { type ConfiguredArguments, type ConfigureRequest, configureCommand } from './configure.ts'
import { printConfig, settingsLines } from './print_config.ts'

/** From the command line: no file sets these. */
interface HowToAnnounce {
  printConfig: boolean
  json: boolean
}

/** Reports on stderr what the file sets. With --print-config it prints everything and returns null: the command is done. */
export async function applyConfig<T>(
  of: string,
  request: ConfigureRequest<T> & { args: HowToAnnounce },
): Promise<ConfiguredArguments<T>['args'] | null> {
  const configured = await configureCommand(request)
  if (request.args.printConfig) {
    process.stdout.write(`${printConfig({ of, configured }, request.args.json)}\n`)
    return null
  }
  for (const line of settingsLines(configured)) process.stderr.write(`${line}\n`)
  return configured.args
}

/** The first folder to search, for a skill, a package, a suite or a folder of these. `suite`: a file whose folder is searched first. */
export async function locateSkillConfig(given: string, suite: string | undefined): Promise<string> {
  if (suite !== undefined) return path.dirname(path.resolve(suite))
  const place = path.resolve(given)
  const info = await stat(place).catch(() => null)
  return path.join(info?.isFile() ? path.dirname(place) : place, 'evals')
}

/** Of a benchmark; any other folder has no skill, so the search starts in the current folder. */
export async function locateBenchmarkConfig(given: string): Promise<string> {
  const folder = path.resolve(given)
  // an agent's output or a downloaded benchmark must not bring its own settings
  if (!(await pathExists(benchmarkPaths(folder).plan))) return process.cwd()
  const { path: skill } = (await readPlan(folder)).skill
  return path.isAbsolute(skill) ? path.join(skill, 'evals') : process.cwd() // else the plan does not come from Whetstone
}
