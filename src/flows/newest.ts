/** The newest benchmark of the workspace in which a request would write. */
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { Plan } from '../../schemas/plan.ts'
import type { Skill } from '../../schemas/suite.ts'
import { UserError } from '../base/error.ts'
import { entriesIn } from '../base/files.ts'
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
  const found = await newestOf(skill, workspace)
  if (found !== null) return found
  const below = await workspaceBelow(skill, workspace)
  const asked = `bench without ${flag} first, or name --workspace`
  const fix = below === null ? asked : `there is one in ${below}: name --workspace ${below}`
  throw new UserError(`${flag}: no benchmark of ${skill.path} in ${workspace} yet`, fix)
}

async function newestOf(skill: Skill, workspace: string): Promise<{ folder: string; plan: Plan } | null> {
  for (const folder of await listBenchmarks(workspace)) {
    const plan = await readPlan(folder)
    if (isOf(plan, skill)) return { folder, plan }
  }
  return null
}

/** Where a bench of several skills has put that of this one, as it would be typed; null: nowhere in this folder. */
async function workspaceBelow(skill: Skill, folder: string): Promise<string | null> {
  for (const { name } of entriesIn(folder).filter((entry) => entry.isDirectory() && entry.name !== 'benchmarks')) {
    const below = path.join(folder, name)
    const found = await newestOf(skill, below).catch(() => null)
    if (found?.plan.skill.name === skill.name) return path.relative(process.cwd(), below) || '.'
  }
  return null
}

/** Whether a benchmark is of a skill, which may have moved since. Another one that is still where it was is another one, whatever it is called. */
function isOf({ skill: { path: place } }: Plan, skill: Skill): boolean {
  if (place === skill.path || !existsSync(path.join(place, 'SKILL.md'))) return true
  return realpathSync(place) === realpathSync(skill.path)
}
