/** Files that are there whole or not at all, and that a power failure does not take. */
import { closeSync, fsync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { nameBeside } from './beside.ts'
import { codeOf } from './error.ts'

const sync = promisify(fsync)

/** What a file is to hold; parts of a large one are made as they are written. */
export type Content = string | Uint8Array | Iterable<string>

/**
 * Writes a file so that it is there whole or not at all: temporary file, fsync, rename, fsync of the folder. Only what
 * waits for the disk is handed to a thread: the rest done at once takes a tenth of the work.
 */
export async function writeAtomic(file: string, data: Content): Promise<void> {
  await writeAllAtomic(path.dirname(file), [[path.basename(file), data]])
}

/**
 * The same for several files of one folder, [name, data], which appear in this order. The disk writes them together, and
 * where that fails none appears.
 */
export async function writeAllAtomic(
  folder: string,
  files: readonly (readonly [name: string, data: Content])[],
): Promise<void> {
  const made = files.map(([name, data]) => {
    const file = path.join(folder, name)
    return { data, temporary: nameBeside(file), file }
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

/** Makes a new file, durable when it resolves. Rejects with EEXIST where it is there. */
export async function writeDurable(file: string, data: Content): Promise<void> {
  const handle = openNew(file)
  try {
    for (const part of data instanceof Uint8Array || typeof data === 'string' ? [data] : data)
      writeFileSync(handle, part)
    await sync(handle)
  } finally {
    closeSync(handle)
  }
}

/** Opens a file that is not there yet; its folder nearly always is. */
function openNew(file: string): number {
  try {
    return openSync(file, 'wx')
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(path.dirname(file), { recursive: true })
    return openSync(file, 'wx')
  }
}

/** Files whose content is made durable at once: the disk writes their journal together. */
const syncedAtOnce = 16

/** Makes the content of all of these durable. */
export async function syncFiles(files: readonly string[]): Promise<void> {
  for (let at = 0; at < files.length; at += syncedAtOnce) {
    const ends = await Promise.allSettled(files.slice(at, at + syncedAtOnce).map(syncFile))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }
}

/** Makes a file's content durable. */
export async function syncFile(file: string): Promise<void> {
  const handle = openSync(file, 'r')
  try {
    await sync(handle)
  } finally {
    closeSync(handle)
  }
}

/** The sync of a folder that is under way, and the one after it, if somebody waits for that. */
interface FolderSync {
  ends: Promise<void>
  next: Promise<void> | null
}

const syncing = new Map<string, FolderSync>()

/**
 * Makes a rename in this folder durable. Who comes while a sync of it is under way waits for the next one, with all others that do: the
 * first may have begun before their rename. A file system that can't sync folders is left to its own ways.
 */
export function syncFolder(folder: string): Promise<void> {
  const now = syncing.get(folder)
  if (now === undefined) return beginSync(folder)
  now.next ??= now.ends.then(
    () => beginSync(folder),
    () => beginSync(folder),
  )
  return now.next
}

function beginSync(folder: string): Promise<void> {
  const ends = syncFile(folder)
    .catch((error: unknown) => {
      if (codeOf(error) !== 'EINVAL' && codeOf(error) !== 'EPERM') throw error
    })
    .finally(() => {
      if (syncing.get(folder) === own) syncing.delete(folder)
    })
  const own: FolderSync = { ends, next: null }
  syncing.set(folder, own)
  return ends
}

/**
 * Writes a file whole or not at all, as far as other processes see it; a power failure may take it. Its folder is there. Throws what
 * the file system throws.
 */
export function writeWhole(file: string, data: string): void {
  const temporary = nameBeside(file)
  try {
    writeFileSync(temporary, data)
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
}
