/** The command line of a command on a finished benchmark, with the configuration file of the skill that was benched. */
import path from 'node:path'
import { exists } from '../../base/files.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { type Configured, type ConfigureRequest, configure } from './configure.ts'

type Request<T> = Omit<ConfigureRequest<T>, 'start' | 'skill'> & {
  /** A benchmark; any other folder has no skill, and the file is looked for from the current folder. */
  benchmark: string
  /** As on the command line: no file sets these. */
  print: { printConfig: boolean; json: boolean }
}

/** Says on stderr what the file has set. With --print-config it prints that instead, and gives null: there is nothing more to do. */
export async function configuredOf<T>({
  benchmark,
  print,
  ...request
}: Request<T>): Promise<Configured<T>['args'] | null> {
  const configured = await configure({ ...request, ...(await whereOf(path.resolve(benchmark))) })
  if (!print.printConfig && configured.file === null) return configured.args
  const { printConfig, settingsLine } = await import('./print.ts')
  if (print.printConfig) {
    process.stdout.write(`${printConfig({ of: benchmark, configured }, print.json)}\n`)
    return null
  }
  const line = settingsLine(configured)
  if (line !== null) process.stderr.write(`${line}\n`)
  return configured.args
}

/** An agent's delivery must not bring settings of its own. */
async function whereOf(folder: string): Promise<{ start: string; skill: string | null }> {
  if (!(await exists(benchmarkPaths(folder).plan))) return { start: process.cwd(), skill: null }
  const { path: skill } = (await readPlan(folder)).skill
  return { start: path.join(skill, 'evals'), skill }
}
