/** The newest benchmark of the workspace in which a request would write. */
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { Plan } from '../../schemas/plan.ts'
import type { Skill } from '../../schemas/suite.ts'
import { UserError } from '../base/error.ts'
import { readSkill } from '../phases/1-plan/skill.ts'
import { listBenchmarks, readPlan } from '../store/store.ts'
import { type BenchRequest, skillFolder, workspaceOf } from './prepare.ts'

/** Throws UserError when there is none of this skill yet, naming the flag that asked for it. */
export async function newestBenchmark(
  request: Pick<BenchRequest, 'skill' | 'workspace'>,
  flag: string,
): Promise<{ folder: string; plan: Plan }> {
  const { skill } = await readSkill(await skillFolder(path.resolve(request.skill)))
  const workspace = workspaceOf(request, skill)
  for (const folder of await listBenchmarks(workspace)) {
    const plan = await readPlan(folder)
    if (isOf(plan, skill)) return { folder, plan }
  }
  const asked = `bench without ${flag} first, or name --workspace`
  throw new UserError(`${flag}: no benchmark of ${skill.path} in ${workspace} yet`, asked)
}

/** Whether a benchmark is of a skill, which may have moved since. Another one that is still where it was is another one, whatever it is called. */
function isOf({ skill: { path: place } }: Plan, skill: Skill): boolean {
  if (place === skill.path || !existsSync(path.join(place, 'SKILL.md'))) return true
  return realpathSync(place) === realpathSync(skill.path)
}
