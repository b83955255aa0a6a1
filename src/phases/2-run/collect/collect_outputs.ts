/** Copies the files that the agent created or changed, within limits; does not follow links. */
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import type { OutputFile, RunRecord } from '../../../../schemas/run.ts'
import { errnoCode, errorMessage } from '../../../base/errors/error.ts'
import { copyWalk, hashFile, type WalkedFile, walk } from '../../../base/fs/files.ts'
import { ignoredFolders } from '../../../base/fs/ignored_folders.ts'
import { isShortage } from '../../../base/process/resource_shortage.ts'
import { listAgentPlaces } from '../../../engines/skills_folders.ts'

export const outputLimits = { fileBytes: 20 * 1024 * 1024, totalBytes: 100 * 1024 * 1024, files: 2000 }

/** State of each file before the agent started: path → signature that every write changes. */
export type Snapshot = ReadonlyMap<string, string>

export async function takeSnapshot(cwd: string, parts: OutputParts): Promise<Snapshot> {
  const { files } = await walkOutputs(cwd, parts)
  const signed = await Promise.all(files.map(async (file) => [file.path, await signature(file)] as const))
  return new Map(signed.flatMap(([name, sign]) => (sign === null ? [] : [[name, sign]])))
}

/**
 * Copies what is new or changed since the snapshot into `target`; lists deleted files, and skipped ones with the reason.
 * Does not throw for anything the agent does to its folder, because that is a result.
 */
export async function collectChangedFiles(request: {
  cwd: string
  before: Snapshot
  skillsFolders: readonly string[]
  isHome?: boolean
  target: string
  /** Files from elsewhere that are outputs too, with their paths in `target`; absent: none. */
  outside?: readonly WalkedFile[]
}): Promise<RunRecord['outputs']> {
  const { files, leftOut } = await walkOutputs(request.cwd, request)
  const left_out = [...leftOut]
  const kept: WalkedFile[] = []
  const now = new Set(files.map((file) => file.path))
  const outside = new Set(request.outside)
  let total = 0
  for (const file of [...files, ...outside]) {
    const isOwn = !outside.has(file)
    if (isOwn && request.before.get(file.path) === (await signature(file))) continue
    const reason =
      (!isOwn && now.has(file.path) ? 'the working folder has a file of this path' : null) ??
      exceededLimit({ bytes: file.bytes, total, count: kept.length }) ??
      (await copyReason(file, request.target))
    if (reason !== null) left_out.push({ path: file.path, reason })
    else {
      kept.push(file)
      total += file.bytes
    }
  }
  const missing = [...request.before.keys()].filter((name) => !now.has(name)).sort()
  const isKnown = await Promise.all(missing.map((name) => canBeSeen(path.join(request.cwd, name))))
  return {
    files: await Promise.all(kept.map((file) => describeOutput(file, request))),
    deleted: missing.filter((_, index) => isKnown[index]),
    left_out,
  }
}

/** Copies a folder without links and unreadable files. */
export async function copyPlainFolder(folder: string, target: string): Promise<void> {
  const { files } = await walk(folder, { links: 'never', unreadable: 'leave_out' })
  for (const file of files) await copyReason(file, target)
}

/** Copies a file; returns why it could not (unreadable, path too long). Throws if this machine is short of a resource. */
async function copyReason(file: WalkedFile, target: string): Promise<string | null> {
  return copyWalk([file], target).then(
    () => null,
    (error: unknown) => {
      if (isShortage(error)) throw error
      return `cannot be copied: ${errnoCode(error) ?? errorMessage(error)}`
    },
  )
}

/** False if a folder above it is not accessible: then it is unknown whether the file still exists. */
async function canBeSeen(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    (error: unknown) => errnoCode(error) !== 'EACCES',
  )
}

async function describeOutput(file: WalkedFile, request: { before: Snapshot; target: string }): Promise<OutputFile> {
  return {
    path: file.path,
    bytes: file.bytes,
    sha256: await hashFile(path.join(request.target, file.path)),
    change: request.before.has(file.path) ? 'modified' : 'created',
  }
}

function exceededLimit(at: { bytes: number; total: number; count: number }): string | null {
  if (at.bytes > outputLimits.fileBytes)
    return `larger than ${outputLimits.fileBytes / 2 ** 20} MiB (${at.bytes} bytes)`
  if (at.total + at.bytes > outputLimits.totalBytes)
    return `all outputs together exceed ${outputLimits.totalBytes / 2 ** 20} MiB`
  return at.count >= outputLimits.files ? `more than ${outputLimits.files} files` : null
}

/** What is no output: the agent's places, and in a home folder the state of programs. */
interface OutputParts {
  skillsFolders: readonly string[]
  isHome?: boolean
}

async function walkOutputs(cwd: string, { skillsFolders, isHome = false }: OutputParts) {
  const agents = new Set(listAgentPlaces(skillsFolders))
  const isState = (relative: string) => isHome && relative.startsWith('.')
  const skip = (relative: string) =>
    agents.has(relative) || isState(relative) || ignoredFolders.has(relative.split('/').at(-1) ?? '')
  return walk(cwd, { skip, links: 'never', unreadable: 'leave_out' })
}

/** null: the file has disappeared. */
async function signature(file: WalkedFile): Promise<string | null> {
  const info = await lstat(file.source, { bigint: true }).catch(() => null)
  return info && `${info.ino}:${info.size}:${info.ctimeNs}`
}
