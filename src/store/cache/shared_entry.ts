/** Sealed entries of the cache, and those of a folder that machines share: signed, so that without the key they cannot be changed, renamed or added. */
import { constants } from 'node:fs'
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { errnoCode } from '../../base/errors/error.ts'
import { tempSiblingName } from '../../base/fs/durable_files.ts'
import { sha256 } from '../../base/json/json.ts'
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
  const handle = await open(file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch((error: unknown) => {
    if (errnoCode(error) === 'ENOENT') return null
    throw error
  })
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
  await mkdir(path.dirname(file)).catch((error: unknown) => {
    if (errnoCode(error) !== 'EEXIST') throw error
  })
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
