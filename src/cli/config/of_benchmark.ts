/** The command line of a command on a finished benchmark, with the configuration file of the skill that was benched. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { exists } from '../../base/files.ts'
import { isBelow } from '../../base/sandbox/below.ts'
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

/** Neither an agent's delivery nor a benchmark that somebody gave away brings settings of its own. */
async function whereOf(folder: string): Promise<{ start: string; skill: string | null }> {
  if (!(await exists(benchmarkPaths(folder).plan))) return { start: process.cwd(), skill: null }
  const { path: skill } = (await readPlan(folder)).skill
  if (!path.isAbsolute(skill)) return { start: process.cwd(), skill: null } // no plan that was made here
  const given = await realpath(folder)
  const isGiven = isBelow(await realpath(skill).catch(() => skill), given)
  return { start: path.join(skill, 'evals'), skill: isGiven ? given : ((await packageAbove(skill)) ?? skill) }
}
