/** Identifies the files of a command line by their content, to tell an agent from a changed one with the same name. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { hashFile } from '../../base/fs/files.ts'

/** Files up to this many bytes are identified by their content; larger ones (an interpreter) by their path, size and time of change. */
const hashedBytes = 32 * 2 ** 20

/** One part for each word that is the absolute path of a file. Files that such a file reads or starts are not included. */
export async function readFileIdentity(words: readonly string[]): Promise<Record<string, string>> {
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
