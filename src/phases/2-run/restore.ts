/** Rebuilds a run's working folder as the agent left it, for checks that need it: the start, then the outputs over it. */
import { lstatSync, readdirSync, rmdirSync, rmSync, unlinkSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import type { RunRecord } from '../../../schemas/run.ts'
import { copyWalk, type WalkedFile } from '../../base/files.ts'
import { namesBelow, ownFile } from '../../base/own_file.ts'
import { oddKind } from '../../base/plain_file.ts'
import { layOut, SetupError, type WorkspaceRequest } from './workspace.ts'

/**
 * Lays out the start at `start.cwd`, removes what the agent deleted and copies its outputs from `outputsFolder`. No skill is installed.
 * Throws SetupError, before anything is done, where the record names what lies elsewhere: who made it is not known here.
 */
export async function restoreWorkspace(
  start: Omit<WorkspaceRequest, 'skill'>,
  record: RunRecord,
  outputsFolder: string,
): Promise<void> {
  const files = outputsOf(record, start.cwd, outputsFolder)
  await layOut({ ...start, skill: null })
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

/** What the record says was left, where it lies. */
function outputsOf({ outputs }: RunRecord, cwd: string, outputsFolder: string): WalkedFile[] {
  const out = [...outputs.deleted, ...outputs.files.map((file) => file.path)].find((name) => !namesBelow(cwd, name))
  if (out !== undefined) throw new SetupError(`run.json: ${JSON.stringify(out)} leads out of the working folder`)
  return outputs.files.map(({ path: name, bytes }) => {
    const source = ownFile(outputsFolder, name)
    if (source === null) throw new SetupError(`outputs/${name}: no file of the outputs folder`)
    return { path: name, source, bytes }
  })
}

/** A folder without its last file is gone, as in git: who takes a folder away leaves no other trace than who empties it. */
function clearEmptied(folder: string, name: string): void {
  for (let left = name; left !== '.'; left = path.dirname(left)) {
    const place = path.join(folder, left)
    const info = lstatSync(place, { throwIfNoEntry: false })
    if (info !== undefined && (!info.isDirectory() || readdirSync(place).length > 0)) return
    if (info !== undefined) rmdirSync(place)
  }
}

/** A folder in whose place the agent left a file: what was in it is among the deleted. */
function clearFolder(place: string): void {
  if (lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) rmSync(place, { recursive: true })
}

/**
 * Removes the first link, pipe or device on the way to a file that the agent left or deleted: when it ended there was none, since outputs
 * are collected through no link. A link that `setup` or a bundle lays there would lead this process, which no sandbox holds, anywhere,
 * and a pipe would hold it up for good.
 */
function clearOdd(folder: string, name: string): void {
  let place = folder
  for (const part of name.split('/')) {
    place = path.join(place, part)
    const info = lstatSync(place, { throwIfNoEntry: false })
    if (info !== undefined && oddKind(info) !== null) unlinkSync(place)
    if (!info?.isDirectory()) return
  }
}
