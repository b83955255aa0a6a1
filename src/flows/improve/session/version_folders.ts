/** The versions of a session as folders: v0 copies the skill at the start, and none may change later. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../../base/errors/error.ts'
import { hashWalk } from '../../../base/fs/files.ts'
import { listSkillFiles } from '../../../phases/1-plan/skill/read_skill.ts'
import { improvePaths } from '../../../store/paths.ts'
import type { FlowContext } from '../../flow_context.ts'
import { writeVersion } from '../../versions/skill_texts.ts'
import { emitImproveStep, findHead, type ImproveSession } from './session.ts'

/** Writes v0, unless the session already did before an interruption; returns its hash. */
export async function writeFirstVersion({ skill, workspace }: ImproveSession): Promise<string> {
  const { versions, version } = improvePaths(workspace)
  await mkdir(versions, { recursive: true })
  const first = version('v0')
  if (!existsSync(path.join(first, 'SKILL.md'))) await writeVersion((await listSkillFiles(skill.path)).files, first)
  return await hashSkillFolder(first)
}

/**
 * Checks a session before it resumes. Throws UserError for a needed version that is missing or changed; warns if the skill differs from
 * v0.
 */
export async function checkVersions(
  { skill, workspace, history }: ImproveSession,
  context: FlowContext,
): Promise<void> {
  const { version } = improvePaths(workspace)
  const needed = new Set(['v0', findHead(history).version])
  for (const { version: name, skill_sha256: then } of history.iterations) {
    if (!needed.has(name) || then === undefined) continue
    const folder = version(name)
    const now = existsSync(folder) ? await hashSkillFolder(folder) : null
    if (now === then) continue
    const how = now === null ? 'it is gone' : 'it has changed since the session wrote it'
    throw new UserError(`${folder}: ${how}`, 'restore it, or start another session in another --workspace')
  }
  const first = version('v0')
  if (!existsSync(first) || (await hashSkillFolder(first)) === skill.sha256) return
  const message =
    'the skill has changed since this session was started: v0 stays what it was then, and --apply will not overwrite your changes'
  emitImproveStep(context, { round: 0, step: 'session', version: 'v0', message })
}

async function hashSkillFolder(folder: string): Promise<string> {
  return await hashWalk((await listSkillFiles(folder)).files)
}
