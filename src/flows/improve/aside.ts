/** Makes room for a new session: what an earlier one left in the workspace is moved to `sessions/`. */
import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import path from 'node:path'
import { history as historySchema } from '../../../schemas/history.ts'
import { readIf } from '../../store/damage.ts'
import { improvePaths, timestampName } from '../../store/paths.ts'
import type { FlowContext } from '../context.ts'
import { type Session, tell } from './session.ts'

/** Called when nothing can refuse the new session any more. Without a history versions and proposals are moved all the same: they are not of this session. */
export async function putAside({ workspace }: Pick<Session, 'workspace'>, context: FlowContext): Promise<void> {
  const { history, versions, proposals, sessions } = improvePaths(workspace)
  const left = [versions, proposals, history].filter((one) => existsSync(one))
  if (left.length === 0) return
  const before = readIf(historySchema, history)
  const started = new Date(before?.started_at ?? '')
  const target = await newFolder(
    path.join(sessions, timestampName(Number.isNaN(started.getTime()) ? context.now() : started)),
  )
  for (const one of left) await rename(one, path.join(target, path.basename(one)))
  const what = before === null ? 'what an earlier session left there' : 'the session before this one, which has ended,'
  const message = `${what} now lies in ${path.join(path.basename(sessions), path.basename(target))} of the workspace`
  tell(context, { iteration: 0, step: 'session', version: null, message })
}

/** Makes a folder of that name; where there is one, -2, -3, … is added. */
export async function newFolder(base: string): Promise<string> {
  await mkdir(path.dirname(base), { recursive: true })
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? base : `${base}-${number}`
    if (existsSync(folder)) continue
    await mkdir(folder)
    return folder
  }
}
