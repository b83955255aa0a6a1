/** Rebuilds a run's working folder as the agent left it, for checks: the starting state, then the outputs. */
import { lstatSync, readdirSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { RunRecord } from '../../../../schemas/run.ts'
import { copyWalk, type WalkedFile } from '../../../base/fs/files.ts'
import { findOwnFile, isChildPath } from '../../../base/fs/inside_folder.ts'
import { specialFileKind } from '../../../base/fs/special_files.ts'
import { SetupError } from './symlink_traps.ts'
import { prepareWorkspace, type WorkspaceRequest } from './working_folder.ts'

/**
 * Prepares the start at `start.cwd`, deletes what the agent deleted and copies its outputs from `outputsFolder`, without a skill.
 * Throws SetupError before any change if the record names a path outside, because the record may come from anyone.
 */
export async function restoreWorkspace(
  start: Omit<WorkspaceRequest, 'skill'>,
  record: RunRecord,
  outputsFolder: string,
): Promise<void> {
  const files = listRecordedOutputs(record, start.cwd, outputsFolder)
  await prepareWorkspace({ ...start, skill: null })
  for (const name of record.outputs.deleted) {
    clearOdd(start.cwd, name)
    await rm(path.join(start.cwd, name), { force: true })
  }
  for (const name of record.outputs.deleted) clearEmptied(start.cwd, path.dirname(name))
  for (const file of files) {
    clearOdd(start.cwd, file.path)
    clearFolder(path.join(start.cwd, file.path))
  }
  await copyWalk(files, start.cwd)
}

function listRecordedOutputs({ outputs }: RunRecord, cwd: string, outputsFolder: string): WalkedFile[] {
  const out = [...outputs.deleted, ...outputs.files.map((file) => file.path)].find((name) => !isChildPath(cwd, name))
  if (out !== undefined) throw new SetupError(`run.json: ${JSON.stringify(out)} is outside the working folder`)
  return outputs.files.map(({ path: name, bytes }) => {
    const source = findOwnFile(outputsFolder, name)
    if (source === null) throw new SetupError(`outputs/${name}: not a file in the outputs folder`)
    return { path: name, source, bytes }
  })
}

/** Removes a folder without its last file, as git does: the record does not distinguish an emptied folder from a deleted one. */
function clearEmptied(folder: string, name: string): void {
  for (let left = name; left !== '.'; left = path.dirname(left)) {
    const place = path.join(folder, left)
    const info = lstatSync(place, { throwIfNoEntry: false })
    if (info !== undefined && (!info.isDirectory() || readdirSync(place).length > 0)) return
    if (info !== undefined) rmdirSync(place)
  }
}

/** Removes a folder that the agent replaced by a file; its content is recorded as deleted. */
function clearFolder(place: string): void {
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) rmSync(place, { recursive: true })
}

/**
 * Removes the first link, pipe or device on the way to a file that the agent left or deleted. Outputs are never collected
 * through links, so it was not there when the agent ended. A link from `setup` or a bundle could lead this unsandboxed process
 * anywhere, and a pipe would block it forever.
 */
function clearOdd(folder: string, name: string): void {
  let place = folder
  for (const part of name.split('/')) {
    place = path.join(place, part)
    const info = lstatSync(place, { throwIfNoEntry: false })
    if (info !== undefined && specialFileKind(info) !== null) unlinkSync(place)
    if (!info?.isDirectory()) return
  }
}

/** The record of a run whose agent has done nothing to its folder. */
export function withoutOutputs<R extends Pick<RunRecord, 'outputs'>>(record: R): R {
  return { ...record, outputs: { ...record.outputs, files: [], deleted: [] } }
}
