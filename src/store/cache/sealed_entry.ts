/** A file of the cache: a line with the sha256 of the rest and this user's signature of it, then the rest. */
import { sha256 } from '../../base/json/json.ts'
import type { ResultSigner } from '../signing/signer.ts'

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
