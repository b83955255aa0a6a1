/** What the agent left behind: files it made or changed, copied out with limits; links are not followed. */
import { lstat } from 'node:fs/promises'
import path from 'node:path'
import type { OutputFile, RunRecord } from '../../../schemas/run.ts'
import { codeOf, messageOf } from '../../base/error.ts'
import { copyWalk, hashFile, type WalkedFile, walk } from '../../base/files.ts'
import { passedOver } from '../../base/passed_over.ts'
import { isShortage } from '../../base/shortage.ts'

export const outputLimits = { fileBytes: 20 * 1024 * 1024, totalBytes: 100 * 1024 * 1024, files: 2000 }

/** State of each file before the agent started: path → signature that any write changes. */
export type Snapshot = ReadonlyMap<string, string>

export async function takeSnapshot(cwd: string, skillsFolder: string): Promise<Snapshot> {
  const { files } = await walkOutputs(cwd, skillsFolder)
  const signed = await Promise.all(files.map(async (file) => [file.path, await signature(file)] as const))
  return new Map(signed.flatMap(([name, sign]) => (sign === null ? [] : [[name, sign]])))
}

/**
 * Copies what is new or changed since the snapshot into `target`; says what was deleted and what was left out, and why.
 * Whatever the agent did to its folder is a result: nothing of it throws.
 */
export async function collect(request: {
  cwd: string
  before: Snapshot
  skillsFolder: string
  target: string
}): Promise<RunRecord['outputs']> {
  const { files, leftOut } = await walkOutputs(request.cwd, request.skillsFolder)
  const left_out = [...leftOut]
  const kept: WalkedFile[] = []
  let total = 0
  for (const file of files) {
    if (request.before.get(file.path) === (await signature(file))) continue
    const reason =
      overLimit({ bytes: file.bytes, total, count: kept.length }) ?? (await copyReason(file, request.target))
    if (reason !== null) left_out.push({ path: file.path, reason })
    else {
      kept.push(file)
      total += file.bytes
    }
  }
  const now = new Set(files.map((file) => file.path))
  const missing = [...request.before.keys()].filter((name) => !now.has(name)).sort()
  const isKnown = await Promise.all(missing.map((name) => canBeSeen(path.join(request.cwd, name))))
  return {
    files: await Promise.all(kept.map((file) => described(file, request))),
    deleted: missing.filter((_, index) => isKnown[index]),
    left_out,
  }
}

/** Copies a folder as it is, without links and what can't be read. */
export async function keepFolder(folder: string, target: string): Promise<void> {
  const { files } = await walk(folder, { links: 'never', unreadable: 'leave_out' })
  for (const file of files) await copyReason(file, target)
}

/** Copies a file; gives why it could not be: it is not readable, or its path is too long. Throws where this machine is short of something. */
async function copyReason(file: WalkedFile, target: string): Promise<string | null> {
  return copyWalk([file], target).then(
    () => null,
    (error: unknown) => {
      if (isShortage(error)) throw error
      return `can't be copied: ${codeOf(error) ?? messageOf(error)}`
    },
  )
}

/** False where a folder above it may not be entered: then nobody knows whether it is still there. */
async function canBeSeen(file: string): Promise<boolean> {
  return lstat(file).then(
    () => true,
    (error: unknown) => codeOf(error) !== 'EACCES',
  )
}

async function described(file: WalkedFile, request: { before: Snapshot; target: string }): Promise<OutputFile> {
  return {
    path: file.path,
    bytes: file.bytes,
    sha256: await hashFile(path.join(request.target, file.path)),
    change: request.before.has(file.path) ? 'modified' : 'created',
  }
}

function overLimit(at: { bytes: number; total: number; count: number }): string | null {
  if (at.bytes > outputLimits.fileBytes)
    return `larger than ${outputLimits.fileBytes / 2 ** 20} MiB (${at.bytes} bytes)`
  if (at.total + at.bytes > outputLimits.totalBytes)
    return `all outputs together are over ${outputLimits.totalBytes / 2 ** 20} MiB`
  return at.count >= outputLimits.files ? `more than ${outputLimits.files} files` : null
}

async function walkOutputs(cwd: string, skillsFolder: string) {
  const top = skillsFolder.split('/')[0]
  const skip = (relative: string) => relative === top || passedOver.has(relative.split('/').at(-1) ?? '')
  return walk(cwd, { skip, links: 'never', unreadable: 'leave_out' })
}

/** null: it has gone meanwhile. */
async function signature(file: WalkedFile): Promise<string | null> {
  const info = await lstat(file.source, { bigint: true }).catch(() => null)
  return info && `${info.ino}:${info.size}:${info.ctimeNs}`
}
