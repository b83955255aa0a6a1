/** Replaces the author's skill with the best version, after a backup. Nothing else in `improve` touches that folder. */
import type { History } from '../../../schemas/history.ts'
import { UserError } from '../../base/errors/error.ts'
import { hashWalk } from '../../base/fs/files.ts'
import { listSkillFiles } from '../../phases/1-plan/skill/read_skill.ts'
import { prepareReplacement, type Replacement } from '../versions/replace_skill.ts'

/** What a session ended with. */
export interface ImproveResult {
  history: History
  workspace: string
  /** The best version's folder, absolute. */
  best: string
}

/** What would change. Throws UserError if the skill has changed since the session began. */
export async function prepareApply({ history, workspace, best }: ImproveResult, given: string): Promise<Replacement> {
  const { current_best: name, iterations } = history
  const hash = await requireTestedVersion(history, { name, folder: best })
  const expected = [iterations[0]?.skill_sha256, hash]
  return await prepareReplacement({ given, version: best, name, expected, workspace, retry: '--resume --apply' })
}

/** Returns the hash of a version's folder. Throws UserError if it is not the one that was tested. */
export async function requireTestedVersion(
  { iterations }: Pick<History, 'iterations'>,
  { name, folder }: { name: string; folder: string },
): Promise<string> {
  const hash = await hashWalk((await listSkillFiles(folder)).files)
  const tested = iterations.find(({ version }) => version === name)?.skill_sha256
  if (tested === undefined || hash === tested) return hash
  throw new UserError(`${folder}: changed since it was tested`, 'copy what you want from it by hand')
}
