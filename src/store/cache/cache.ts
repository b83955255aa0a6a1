/** The cache of a workspace: its paths, temporary folders that become entries by one rename, and sealed entries; those that machines share are signed. */
import { constants, mkdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { answerError, attempt, isErrno } from '../../base/errors/attempt.ts'
import { tempSiblingName } from '../../base/fs/durable_files.ts'
import { readNames } from '../../base/fs/tree_size.ts'
import { sha256 } from '../../base/json/json.ts'
import { isAlive, readOwnStart } from '../../base/process/marked_processes.ts'
import { createResultSigner, type ResultSigner } from '../signing/signer.ts'

export type SharedKind = 'run' | 'grading'

/** Which entry a file is. */
interface SharedId {
  kind: SharedKind
  /** 64 hexadecimal digits. */
  name: string
  /** Version of the cache's format: an entry of another one does not fit. */
  format: number
}

export interface Sealer {
  seal(id: SharedId, content: Uint8Array): Buffer
  /** The content; null: not sealed with this key as this entry, or changed. */
  open(id: SharedId, sealed: Buffer): Buffer | null
}

/** A folder that machines share (absolute), and the signatures that its entries must have. */
export interface SharedCacheWish {
  folder: string
  sealer: Sealer
}

const first = 'whetstone shared cache v1'
const form = /^whetstone shared cache v1 hmac-sha256:([0-9a-f]{64})\n$/
const headerLength = first.length + ' hmac-sha256:'.length + 64 + 1

/** HMAC-SHA256 over what the entry is and the sha256 of its content. The closure keeps the key out of every record. */
export function createSealer(key: Uint8Array): Sealer {
  const signer = createResultSigner(() => Buffer.from(key))
  const as = ({ kind, name, format }: SharedId) => [first, format, kind, name]
  return {
    seal: (id, content) =>
      Buffer.concat([Buffer.from(`${first} hmac-sha256:${signer.sign(as(id), sha256(content))}\n`), content]),
    open(id, sealed) {
      const hex = form.exec(sealed.toString('latin1', 0, headerLength))?.[1]
      const content = sealed.subarray(headerLength)
      return hex !== undefined && signer.isSigned(as(id), sha256(content), hex) ? content : null
    },
  }
}

/** A larger run is not shared. */
export const maxSharedBytes = 32 * 1024 * 1024

/**
 * null: not there. Opens only plain files, and without waiting: others may have put a link, a pipe or a device there. Rejects for
 * those, for a file that is too large, and with what the file system throws.
 */
export async function readShared(file: string): Promise<Buffer | null> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(answerError(null, isErrno('ENOENT')))
  if (handle === null) return null
  try {
    const info = await handle.stat()
    if (!info.isFile()) throw new Error(`${file}: not a plain file`)
    if (info.size > maxSharedBytes) throw new Error(`${file}: larger than ${maxSharedBytes} bytes`)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(info.size), 0, info.size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** Complete or not at all; replaces an existing file. Creates the folder, in an existing one. */
export async function writeShared(file: string, sealed: Uint8Array): Promise<void> {
  await mkdir(path.dirname(file)).catch(answerError(undefined, isErrno('EEXIST')))
  const temporary = tempSiblingName(file)
  try {
    await writeFile(temporary, sealed, { flag: 'wx' })
    await rename(temporary, file)
  } finally {
    await rm(temporary, { force: true })
  }
}

type EntryKind = 'run' | 'grading' | 'answer' | 'pass'

/** What a file is: an entry under another key or of another kind is none. */
export interface EntryName {
  kind: EntryKind
  key: string
}

/** Thrown for an entry that is complete, but not signed by this user as what it is found as. */
export class ForeignEntryError extends Error {
  override readonly name = 'ForeignEntryError'
}

export function sealEntry({ kind, key }: EntryName, body: Uint8Array, signer: ResultSigner): Buffer {
  const hash = sha256(body)
  return Buffer.concat([Buffer.from(`${hash} ${signer.sign(['cached', kind, key], hash)}\n`), body])
}

/** The body. Throws ForeignEntryError, and an error for a damaged file. */
export function openEntry({ kind, key }: EntryName, file: string, { bytes, signer }: OpenedEntry): Buffer {
  const body = readBody(bytes, file)
  const [hash = '', hmac = ''] = bytes.toString('latin1', 0, bytes.indexOf(10)).split(' ')
  if (!signer.isSigned(['cached', kind, key], hash, hmac)) throw new ForeignEntryError(`${file}: not yours`)
  return body
}

interface OpenedEntry {
  bytes: Buffer
  signer: ResultSigner
}

/** The body of anybody's entry, for lists of what there is. Throws an error for a damaged file. */
export function readBody(bytes: Buffer, file: string): Buffer {
  const body = bytes.subarray(bytes.indexOf(10) + 1) // earlier versions wrote the sha256 alone
  if (bytes.toString('latin1', 0, 64) === sha256(body)) return body
  throw new Error(`${file}: its content has changed since it was cached`)
}

export interface Cache {
  /** `<workspace>/.cache`, absolute. */
  folder: string
  /** One folder per run, named by its key. */
  runs: string
  /** One file per judge's answer, named by its key. */
  answers: string
  /** One file per passed case of eval, named by its key. */
  passes: string
  /** Entries on their way in and out; each name identifies its owner. */
  temporary: string
}

/** A cache whose entries count only with this signature. */
export interface SignedCache extends Cache {
  signer: ResultSigner
}

export function cachePaths(workspace: string): Cache {
  const folder = path.join(workspace, '.cache')
  return {
    folder,
    runs: path.join(folder, 'runs'),
    answers: path.join(folder, 'judge'),
    passes: path.join(folder, 'passes'),
    temporary: path.join(folder, 'tmp'),
  }
}

export function entryPaths(cache: Cache, key: string) {
  const folder = path.join(cache.runs, key)
  return {
    folder,
    entry: path.join(folder, 'entry'),
    files: path.join(folder, 'files'),
    gradings: path.join(folder, 'gradings'),
  }
}

/** Creates the folders, and cleans up after processes that are gone. Throws what the file system throws. */
export async function openCache(workspace: string): Promise<Cache> {
  const cache = cachePaths(workspace)
  for (const folder of [cache.runs, cache.answers, cache.temporary]) mkdirSync(folder, { recursive: true })
  await clearTemporary(cache)
  return cache
}

/** Removes the temporary folders of processes that are gone, and nothing with another name; returns their number. */
export async function clearTemporary(cache: Cache): Promise<number> {
  let cleared = 0
  for (const name of readNames(cache.temporary)) {
    const [, pid, start = null] = /^(\d+)(?:\.(\d+))?-\d+(?:-[a-z]+)?$/.exec(name) ?? []
    if (pid === undefined || (await isAlive(Number(pid), start))) continue
    rmSync(path.join(cache.temporary, name), { recursive: true, force: true })
    cleared += 1
  }
  return cleared
}

let unique = 0

export async function temporaryName(cache: Cache): Promise<string> {
  const start = await readOwnStart()
  unique += 1
  return path.join(cache.temporary, `${process.pid}${start === null ? '' : `.${start}`}-${unique}`)
}

/**
 * Moves a complete folder to its place. Keeps an existing one, or replaces it if requested; a concurrent reader finds the
 * old one, the new one or none.
 */
export function moveIntoPlace(
  folder: string,
  target: string,
  { replace, aside }: { replace: boolean; aside: string },
): void {
  if (tryRename(folder, target)) return
  if (replace) {
    removeWhole(target, aside)
    if (tryRename(folder, target)) return
  }
  rmSync(folder, { recursive: true, force: true })
}

/** Renames a folder first, so that no reader finds a part of it, then removes it. */
export function removeWhole(folder: string, aside: string): void {
  const isThere = attempt(() => renameSync(folder, aside) === undefined, false, isErrno('ENOENT'))
  if (isThere) rmSync(aside, { recursive: true, force: true })
}

function tryRename(from: string, to: string): boolean {
  return attempt(() => renameSync(from, to) === undefined, false, isErrno('ENOTEMPTY', 'EEXIST'))
}
