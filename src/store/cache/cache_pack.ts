/**
 * A cached run as one file: a line that describes it, then its small files one after the other. One read restores a run; large files
 * are next to it, each with its own hash.
 */
import { type CacheEntry, cacheEntry } from '../../../schemas/cache.ts'
import { checkAs, parseJson } from '../../base/json/json.ts'
import { jsonText } from '../../base/json/json_text.ts'

/** The bytes of an entry. `small`: content of every packed file, in the order of `entry.files`. */
export function packEntry(entry: CacheEntry, small: readonly Uint8Array[]): Buffer {
  return Buffer.concat([Buffer.from(`${jsonText(entry)}\n`), ...small])
}

/** An entry and its small files by path. Throws an error that says what is wrong with the bytes. */
export function unpackEntry(body: Buffer, file: string): { entry: CacheEntry; small: Map<string, Buffer> } {
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
