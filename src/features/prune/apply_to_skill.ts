/** Shows what the shorter skill lacks, asks on a terminal, and replaces the skill with it. */
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { hashWalk } from '../../base/fs/files.ts'
import { confirmReplacement } from '../../cli/terminal/question.ts'
import { prepareReplacement, type Replacement } from '../../flows/versions/replace_skill.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import type { PruneResult } from './prune.ts'

export async function applyPruned(
  { prune, folder, workspace }: PruneResult,
  { skill, json, yes }: { skill: string; json: boolean; yes: boolean },
): Promise<void> {
  const change = await preparePruned({ prune, folder, workspace }, skill)
  await confirmReplacement(change, { name: 'the shorter skill', skill, json, yes })
}

/** What would change. Throws UserError if the skill or the shorter one has changed since it was tested. */
async function preparePruned({ prune, folder, workspace }: PruneResult, given: string): Promise<Replacement> {
  const version = path.join(folder, 'pruned')
  const hash = await hashWalk((await listSkillFiles(version)).files)
  if (hash !== prune.pruned_sha256) {
    throw new UserError(`${version}: changed since it was tested`, 'copy what you want from it by hand')
  }
  const expected = [prune.skill_sha256, hash]
  const name = 'the shorter skill'
  return await prepareReplacement({ given, version, name, expected, workspace, retry: 'the same command' })
}
