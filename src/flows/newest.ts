/** The newest benchmark of the workspace in which a request would write. */
import path from 'node:path'
import type { Plan } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { readSkill } from '../phases/1-plan/skill.ts'
import { listBenchmarks, readPlan } from '../store/store.ts'
import { type BenchRequest, skillFolder, workspaceOf } from './prepare.ts'

/** Throws UserError when there is none yet, naming the flag that asked for it. */
export async function newestBenchmark(
  request: Pick<BenchRequest, 'skill' | 'workspace'>,
  flag: string,
): Promise<{ folder: string; plan: Plan }> {
  const { skill } = await readSkill(await skillFolder(path.resolve(request.skill)))
  const workspace = workspaceOf(request, skill)
  const [folder] = await listBenchmarks(workspace)
  if (folder === undefined) {
    throw new UserError(`${flag}: no benchmark in ${workspace} yet`, `bench without ${flag} first, or name --workspace`)
  }
  return { folder, plan: await readPlan(folder) }
}
