/** Finds the newest benchmark in a request's workspace. */
import { existsSync, realpathSync } from 'node:fs'
import path from 'node:path'
import type { Plan } from '../../../schemas/plan.ts'
import type { Skill } from '../../../schemas/suite.ts'
import { UserError } from '../../base/errors/error.ts'
import { listEntries } from '../../base/fs/files.ts'
import { readSkill } from '../../phases/1-plan/skill/read_skill.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { isOwnPlan, listBenchmarks, readPlan } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { type BenchRequest, resolveSkillFolder, resolveSkillWorkspace } from '../prepare/prepare_bench.ts'
import { reportForeignResults } from './benchmark_lock.ts'

/** Only of this user's. Throws UserError when this skill has none yet, naming the flag that asked for it. */
export async function findNewestBenchmark(
  request: Pick<BenchRequest, 'skill' | 'workspace'>,
  flag: string,
  context: Pick<FlowContext, 'env' | 'emit'>,
): Promise<{ folder: string; plan: Plan }> {
  const { skill } = await readSkill(await resolveSkillFolder(path.resolve(request.skill)), 'copy') // starts no agent
  const workspace = resolveSkillWorkspace(request, skill)
  const found = await findNewestOfSkill(skill, workspace, context)
  if (found !== null) return found
  const below = await findNestedWorkspace(skill, workspace, context)
  const asked = `bench without ${flag} first, or name --workspace`
  const fix = below === null ? asked : `there is one in ${below}: name --workspace ${below}`
  throw new UserError(`${flag}: no benchmark of ${skill.path} in ${workspace} yet`, fix)
}

async function findNewestOfSkill(
  skill: Skill,
  workspace: string,
  context: Pick<FlowContext, 'env' | 'emit'>,
): Promise<{ folder: string; plan: Plan } | null> {
  const signer = findSigner(context.env)
  for (const folder of await listBenchmarks(workspace)) {
    const plan = await readPlan(folder)
    if (!isBenchmarkOfSkill(plan, skill)) continue
    if (isOwnPlan(folder, signer)) return { folder, plan }
    reportForeignResults({ place: folder, what: 'a benchmark' }, context)
  }
  return null
}

/** The workspace that a bench of several skills created for this one, as a user would type it; null: none in this folder. */
async function findNestedWorkspace(
  skill: Skill,
  folder: string,
  { env }: Pick<FlowContext, 'env'>,
): Promise<string | null> {
  const quiet = { env, emit: () => {} }
  for (const { name } of listEntries(folder).filter((entry) => entry.isDirectory() && entry.name !== 'benchmarks')) {
    const below = path.join(folder, name)
    const found = await findNewestOfSkill(skill, below, quiet).catch(() => null)
    if (found?.plan.skill.name === skill.name) return path.relative(process.cwd(), below) || '.'
  }
  return null
}

/** Whether a benchmark is of this skill, which may have moved. A skill still at its old path is a different one. */
function isBenchmarkOfSkill({ skill: { path: place } }: Plan, skill: Skill): boolean {
  if (place === skill.path || !existsSync(path.join(place, 'SKILL.md'))) return true
  return realpathSync(place) === realpathSync(skill.path)
}
