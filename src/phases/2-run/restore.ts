/** Rebuilds a run's working folder as the agent left it, for checks that need it: the start, then the outputs over it. */
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { RunRecord } from '../../../schemas/run.ts'
import { copyWalk } from '../../base/files.ts'
import { layOut, type WorkspaceRequest } from './workspace.ts'

/** Lays out the start at `start.cwd`, removes what the agent deleted and copies its outputs from `outputsFolder`. No skill is installed. */
export async function restoreWorkspace(
  start: Omit<WorkspaceRequest, 'skill'>,
  record: RunRecord,
  outputsFolder: string,
): Promise<void> {
  await layOut({ ...start, skill: null })
  for (const name of record.outputs.deleted) await rm(path.join(start.cwd, name), { force: true })
  const files = record.outputs.files.map(({ path: name, bytes }) => ({
    path: name,
    source: path.join(outputsFolder, name),
    bytes,
  }))
  await copyWalk(files, start.cwd)
}
