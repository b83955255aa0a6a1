/** The versions of a session as folders: v0 is a copy of the skill as it was at the start, and none of them may change afterwards. */
import { existsSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../../base/error.ts'
import { hashWalk } from '../../base/files.ts'
import { skillFiles } from '../../phases/1-plan/skill.ts'
import { courseOf } from '../../phases/4-report/accept/course.ts'
import { improvePaths } from '../../store/paths.ts'
import type { FlowContext } from '../context.ts'
import { type Session, tell } from './session.ts'
import { layVersion } from './skill_texts.ts'

/** Lays out v0, unless the session has done so before it was interrupted; gives its hash. */
export async function layFirst({ skill, workspace }: Session): Promise<string> {
  const { versions, version } = improvePaths(workspace)
  await mkdir(versions, { recursive: true })
  const first = version('v0')
  if (!existsSync(path.join(first, 'SKILL.md'))) await layVersion((await skillFiles(skill.path)).files, first)
  return await hashOf(first)
}

/**
 * Before a session goes on. Throws UserError for a version that it works with and that is gone or another by now; says so where the
 * skill is no longer what v0 is.
 */
export async function checkLaid({ skill, workspace, history }: Session, context: FlowContext): Promise<void> {
  const { version } = improvePaths(workspace)
  const { best, head } = courseOf(history.iterations)
  const needed = new Set(['v0', best, head])
  for (const { version: name, skill_sha256: then } of history.iterations) {
    if (!needed.has(name) || then === undefined) continue
    const folder = version(name)
    const now = existsSync(folder) ? await hashOf(folder) : null
    if (now === then) continue
    const how = now === null ? 'it is gone' : 'it has changed since the session made it'
    throw new UserError(`${folder}: ${how}`, 'put it back as it was, or start another session in another --workspace')
  }
  const first = version('v0')
  if (!existsSync(first) || (await hashOf(first)) === skill.sha256) return
  const message =
    'the skill has changed since this session was started: v0 stays what it was then, and --apply will not overwrite your changes'
  tell(context, { iteration: 0, step: 'session', version: 'v0', message })
}

async function hashOf(folder: string): Promise<string> {
  return await hashWalk((await skillFiles(folder)).files)
}
