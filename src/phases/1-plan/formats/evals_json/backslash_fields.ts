/** Reads the paths in a case's checks and its reference that were written on Windows, with backslashes. */

import type { Warn } from '../../suite/loader_warnings.ts'
import { readBackslashPath, readOutputPath } from '../backslash_paths.ts'
import { isJsonObject } from './fields.ts'

interface FieldPlace {
  /** JSON path. */
  at: string
  /** The skill's folder. */
  root: string
  warn: Warn
}

/** The same check with / in its paths; what is not an object stays as it is. */
export async function readCheckPaths(check: unknown, { at, root, warn }: FieldPlace): Promise<unknown> {
  if (!isJsonObject(check)) return check
  const read = { ...check }
  for (const name of ['path', 'script']) {
    const given = check[name]
    if (typeof given === 'string') read[name] = readOutputPath({ path: given, at: `${at}.${name}` }, warn)
  }
  if (typeof check.file === 'string') {
    read.file = await readBackslashPath({ path: check.file, at: `${at}.file` }, [root], warn)
  }
  return read
}

/** The same reference with / in the names of its files. */
export function readReferencePaths(reference: unknown, at: string, warn: Warn): unknown {
  if (!isJsonObject(reference) || !isJsonObject(reference.files)) return reference
  const files = Object.entries(reference.files).map(([name, content]) => {
    return [readOutputPath({ path: name, at: `${at}.files` }, warn), content] as const
  })
  return { ...reference, files: Object.fromEntries(files) }
}
