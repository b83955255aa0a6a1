/** Moves an earlier session in the workspace to `sessions/`, before a new one starts. */
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
import path from 'node:path'
import { type History, history as historySchema } from '../../../../schemas/history.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { improvePaths, timestampName } from '../../../store/paths.ts'
import type { FlowContext } from '../../flow_context.ts'
import { createNumberedFolder } from '../../versions/numbered_folder.ts'
import { emitImproveStep, type ImproveSession } from './session.ts'

/** Called once nothing can refuse the new session. Without a history it still moves versions and proposals. */
export async function archiveSession(
  { workspace }: Pick<ImproveSession, 'workspace'>,
  context: FlowContext,
): Promise<void> {
  const { history, versions, proposals, mixes, pullRequest, sessions } = improvePaths(workspace)
  const left = [versions, proposals, mixes, pullRequest, history].filter((one) => existsSync(one))
  if (left.length === 0) return
  const before = tryReadArtefact(historySchema, history)
  const started = new Date(before?.started_at ?? '')
  const target = await createNumberedFolder(
    path.join(sessions, timestampName(Number.isNaN(started.getTime()) ? context.now() : started)),
  )
  for (const one of left) await rename(one, path.join(target, path.basename(one)))
  const place = path.join(path.basename(sessions), path.basename(target))
  const message = `${describeLeft(before)} is now in ${place} of the workspace`
  emitImproveStep(context, { round: 0, step: 'session', version: null, message })
}

function describeLeft(before: History | null): string {
  if (before === null) return 'what an earlier session left there'
  return before.ended_at === undefined
    ? 'the unfinished session before this one'
    : 'the session before this one, which has ended,'
}
