/** Packs data for the page: gzip, then base64, so that no text can break out. */
import { gzipSync } from 'node:zlib'

/** `level` 1 to 9: 6 for data inside the page, 1 where thousands of files are written. */
export function packValue(value: unknown, level = 6): string {
  return gzipSync(JSON.stringify(value), { level }).toString('base64')
}

/** A file next to the page: a script that passes its data on, because a page opened from disk can't read other files. */
export function buildSidecarScript(key: string, data: string): string {
  return `whetstone(${JSON.stringify(key)},"${data}")\n`
}
