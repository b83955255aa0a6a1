/** The files of the vault that a golden test says its facts come from. */
import path from 'node:path'
import { liesIn } from '../../../../base/own_file.ts'

export interface NamedSource {
  path: string
  line: number
}

/** What is not in the vault (by a path or a link out of it neither): the test must be brought up to date. */
export function missingSources(vault: string, sources: readonly NamedSource[]): NamedSource[] {
  return sources.filter((source) => {
    const file = fileIn(source.path)
    return file !== null && !(isInside(file) && liesIn(vault, path.join(vault, file)))
  })
}

/** `memory/x.md#section` and `memory/x.md (line 3)` name memory/x.md; a source in words names no file. */
function fileIn(source: string): string | null {
  return /^[`"']?([\w./~-]+\.\w{1,8})(?![\w.])/.exec(source.trim())?.[1] ?? null
}

function isInside(file: string): boolean {
  return !path.isAbsolute(file) && !file.startsWith('~') && !path.normalize(file).startsWith('..')
}
