/** The files of the vault that a golden test says its facts come from. */
import path from 'node:path'
import { exists } from '../../../../base/files.ts'

export interface NamedSource {
  path: string
  line: number
}

/** What is not there: the test must be brought up to date. Sources out of the vault can't be looked at and pass. */
export async function missingSources(vault: string, sources: readonly NamedSource[]): Promise<NamedSource[]> {
  const missing: NamedSource[] = []
  for (const source of sources) {
    const file = fileIn(source.path)
    if (file !== null && isInside(file) && !(await exists(path.join(vault, file)))) missing.push(source)
  }
  return missing
}

/** `memory/x.md#section` and `memory/x.md (line 3)` name memory/x.md; a source in words names no file. */
function fileIn(source: string): string | null {
  return /^[`"']?([\w./~-]+\.\w{1,8})(?![\w.])/.exec(source.trim())?.[1] ?? null
}

function isInside(file: string): boolean {
  return !path.isAbsolute(file) && !file.startsWith('~') && !path.normalize(file).startsWith('..')
}
