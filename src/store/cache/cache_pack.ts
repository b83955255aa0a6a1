/**
 * A cached run as one file: the sha256 of the rest, a line that describes it, then its small files one after the other. One
 * read restores a run and one hash verifies it; large files are next to it, each with its own hash.
 */
import { type CacheEntry, cacheEntry } from '../../../schemas/cache.ts'
import { checkAs, parseJson, sha256 } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'

const hashLength = 64

/** The bytes of an entry. `small`: content of every packed file, in the order of `entry.files`. */
export function packEntry(entry: CacheEntry, small: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat([Buffer.from(`${jsonText(entry)}\n`), ...small])
  return Buffer.concat([Buffer.from(`${sha256(body)}\n`), body])
}

/** An entry and its small files by path. Throws an error that says what is wrong with the bytes. */
export function unpackEntry(bytes: Buffer, file: string): { entry: CacheEntry; small: Map<string, Buffer> } {
  const body = bytes.subarray(hashLength + 1)
  if (bytes.toString('latin1', 0, hashLength) !== sha256(body))
    throw new Error(`${file}: its content has changed since it was cached`)
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
