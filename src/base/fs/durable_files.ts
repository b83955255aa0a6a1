/** Writes files that are complete or absent, and that survive a power failure. Temporary files next to them name their owner, so that those of a killed process can be removed. */
import { createHash, randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsync,
  mkdirSync,
  openSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { answerError, attempt, isErrno } from '../errors/attempt.ts'
import { errnoCode } from '../errors/error.ts'
import { isAlive, readOwnStart } from '../process/marked_processes.ts'

const sync = promisify(fsync)

/** The content of a file; an iterable yields the parts of a large one. */
export type FileContent = string | Uint8Array | Iterable<string>

/** Writes a complete file or none: temporary file, fsync, rename, fsync of the folder. */
export async function writeAtomic(file: string, data: FileContent): Promise<void> {
  await writeAllAtomic(path.dirname(file), [[path.basename(file), data]])
}

/**
 * Writes several files of one folder, [name, data], which appear in this order. The disk writes them together, and
 * none appears when that fails.
 */
export async function writeAllAtomic(
  folder: string,
  files: readonly (readonly [name: string, data: FileContent])[],
): Promise<void> {
  const made = files.map(([name, data]) => {
    const file = path.join(folder, name)
    return { data, temporary: tempSiblingName(file), file }
  })
  try {
    const ends = await Promise.allSettled(made.map(({ temporary, data }) => writeDurable(temporary, data)))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    for (const { temporary, file } of made) renameSync(temporary, file)
  } catch (error) {
    for (const { temporary } of made) rmSync(temporary, { force: true })
    throw error
  }
  await syncFolder(folder)
}

/** Creates a file that is durable when this resolves. Rejects with EEXIST when the file exists. */
export async function writeDurable(file: string, data: FileContent): Promise<void> {
  const handle = openNew(file)
  try {
    for (const part of data instanceof Uint8Array || typeof data === 'string' ? [data] : data)
      writeFileSync(handle, part)
    await sync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Opens a new file; creates its folder only when it is missing. */
function openNew(file: string): number {
  try {
    return openSync(file, 'wx')
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw error
    makeFolders(path.dirname(file))
    return openSync(file, 'wx')
  }
}

/** Creates a folder and its parents. (Node's recursive mkdir never ends where a system answers ENOENT, as /proc does.) */
export function makeFolders(folder: string): void {
  if (existsSync(folder)) return
  if (path.dirname(folder) !== folder) makeFolders(path.dirname(folder))
  attempt(() => mkdirSync(folder), null, isErrno('EEXIST'))
}

/** Files open at the same time during fsync. */
const syncBatchSize = 16

export async function syncFiles(files: readonly string[]): Promise<void> {
  for (let at = 0; at < files.length; at += syncBatchSize) {
    const ends = await Promise.allSettled(files.slice(at, at + syncBatchSize).map(syncFile))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}

export async function syncFile(file: string): Promise<void> {
  const handle = openSync(file, 'r')
  try {
    await sync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Makes a rename in this folder durable. Ignores file systems that can't sync folders. */
export async function syncFolder(folder: string): Promise<void> {
  await syncFile(folder).catch(answerError(undefined, isErrno('EINVAL', 'EPERM')))
}

/**
 * Writes a file so that other processes see all or nothing of it; a power failure may lose it. Its folder must exist. Throws what
 * the file system throws.
 */
export function writeWhole(file: string, data: string, mode = 0o666): void {
  const temporary = tempSiblingName(file)
  try {
    writeFileSync(temporary, data, { mode })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}

/** Identifies this process among all that write to a folder: in containers that share a folder, every process may have the number 1. */
const processToken = randomBytes(6).toString('hex')

let count = 0
let owner: string | null = null

/** A hidden name in the same folder that no other process uses, killed ones included. */
export function tempSiblingName(place: string): string {
  count += 1
  owner ??= `${machine()}-${process.pid}-${readOwnStart() ?? ''}`
  return path.join(path.dirname(place), `.${path.basename(place)}.${owner}-${processToken}.${count}.tmp`)
}

/** The owner is optional: names of earlier versions have none. */
const tempNamePattern = /^\..+\.(?:(?<machine>[0-9a-f]{8})-(?<pid>\d+)-(?<start>\d*)-)?[0-9a-f]{12}\.\d+\.tmp$/

/** Whether the owner of a tempSiblingName is alive; `unknown`: on another machine, or of an earlier version; null: not such a name. */
export async function readOwnerState(name: string): Promise<'lives' | 'gone' | 'unknown' | null> {
  const found = tempNamePattern.exec(name)
  if (found === null) return null
  const { machine: where, pid, start } = found.groups ?? {}
  if (where !== machine()) return 'unknown'
  return (await isAlive(Number(pid), start || null)) ? 'lives' : 'gone'
}

/** Boot and process namespace: process numbers can't be compared across them. */
function machine(): string {
  const boot = attempt(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'), '')
  const space = attempt(() => readlinkSync('/proc/self/ns/pid'), '')
  return createHash('sha256').update([hostname(), boot, space].join('\n')).digest('hex').slice(0, 8)
}

/** The first of base, base-2, base-3, … that `create` can create: it rejects with EEXIST for one that exists. */
export async function createNumbered(base: string, create: (place: string) => Promise<unknown>): Promise<string> {
  for (let number = 1; ; number += 1) {
    const place = number === 1 ? base : `${base}-${number}`
    const isNew = await create(place).then(() => true, answerError(false, isErrno('EEXIST')))
    if (isNew) return place
  }
}
