/** Data for the page: gzip, then base64, which no text in it can break out of. */
import { gzipSync } from 'node:zlib'

/** `level` 1 to 9: the default 6 for what lies in the page, 1 where thousands are written. */
export function packed(value: unknown, level = 6): string {
  return packedText(JSON.stringify(value), level)
}

/** The same for a value's JSON. */
export function packedText(json: string, level: number): string {
  return gzipSync(json, json.length < short ? { level, memLevel: 5, chunkSize: short } : { level }).toString('base64')
}

/** What is shorter is packed as small in less memory, whose making takes a third of the time. */
const short = 4096

/** A file beside the page: a script that hands its data over, because a page opened from a disk may read nothing else. */
export function sidecar(key: string, data: string): string {
  return `whetstone(${JSON.stringify(key)},"${data}")\n`
}
