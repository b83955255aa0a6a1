/**
 * A cached run as one file: the sha256 of all that follows, a line that describes it, then its small files one after the other. One
 * read brings a run back and one hash checks it; large files lie beside, each under its own hash.
 */
import { type CacheEntry, cacheEntry } from '../../schemas/cache.ts'
import { checkAs, parseJson, sha256 } from '../base/json.ts'

const hashLength = 64

/** The bytes of an entry. `small` holds the content of every file that is packed, in the order of `entry.files`. */
export function pack(entry: CacheEntry, small: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat([Buffer.from(`${JSON.stringify(entry)}\n`), ...small])
  return Buffer.concat([Buffer.from(`${sha256(body)}\n`), body])
}

/** What an entry is, and its small files by path. Throws an error that says what is wrong with the bytes. */
export function unpack(bytes: Buffer, file: string): { entry: CacheEntry; small: Map<string, Buffer> } {
  const body = bytes.subarray(hashLength + 1)
  if (bytes.toString('latin1', 0, hashLength) !== sha256(body))
    throw new Error(`${file}: its content is not what was kept`)
  const end = body.indexOf(10)
  const entry = checkAs(cacheEntry, parseJson(body.toString('utf8', 0, end), file), file)
  const small = new Map<string, Buffer>()
  let at = end + 1
  for (const { path, bytes: length, isPacked } of entry.files) {
    if (!isPacked) continue
    small.set(path, body.subarray(at, at + length))
    at += length
  }
  return { entry, small }
}
