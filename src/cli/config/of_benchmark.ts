/** The command line of a command on a finished benchmark, with the configuration file of the skill that was benched. */
import path from 'node:path'
import { exists } from '../../base/files.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'
import { announced, type HowToAnnounce } from './announce.ts'
import { type Configured, type ConfigureRequest, configure } from './configure.ts'
import { packageAbove } from './package_above.ts'

type Request<T> = Omit<ConfigureRequest<T>, 'start' | 'skill'> & {
  /** A benchmark; any other folder has no skill, and the file is looked for from the current folder. */
  benchmark: string
  print: HowToAnnounce
}

/** Null after --print-config. */
export async function configuredOf<T>({
  benchmark,
  print,
  ...request
}: Request<T>): Promise<Configured<T>['args'] | null> {
  const configured = await configure({ ...request, ...(await whereOf(path.resolve(benchmark))) })
  return await announced({ of: benchmark, configured }, print)
}

/** An agent's delivery must not bring settings of its own. */
async function whereOf(folder: string): Promise<{ start: string; skill: string | null }> {
  if (!(await exists(benchmarkPaths(folder).plan))) return { start: process.cwd(), skill: null }
  const { path: skill } = (await readPlan(folder)).skill
  return { start: path.join(skill, 'evals'), skill: (await packageAbove(skill)) ?? skill }
}
