/** The files of a command line by their content: what tells an agent from one that has changed under the same name. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { hashFile } from '../base/files.ts'

/** Bytes up to which a file is known by its content; a larger one (an interpreter) by its place, size and time of change. */
const hashedBytes = 32 * 2 ** 20

/** One part for each word that is the absolute path of a file. What such a file reads or starts in turn is not seen. */
export async function fileIdentity(words: readonly string[]): Promise<Record<string, string>> {
  const parts: Record<string, string> = {}
  for (const word of words) {
    const info = path.isAbsolute(word) ? await stat(word).catch(() => null) : null
    if (!info?.isFile()) continue
    const isLarge = info.size > hashedBytes
    parts[`program ${path.basename(word)}`] = isLarge
      ? `${word}, ${info.size} bytes of ${info.mtime.toISOString()}`
      : await hashFile(word)
  }
  return parts
}
