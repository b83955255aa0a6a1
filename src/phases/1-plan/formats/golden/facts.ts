/** Checks the vault files that a golden test names as the sources of its facts. */
import path from 'node:path'
import { isInsideFolder } from '../../../../base/fs/inside_folder.ts'

export interface NamedSource {
  path: string
  line: number
}

/** Sources that are not in the vault, or outside it by a path or a link: the test has to be updated. */
export function missingSources(vault: string, sources: readonly NamedSource[]): NamedSource[] {
  return sources.filter((source) => {
    const file = parseSourceFile(source.path)
    return file !== null && !(isInside(file) && isInsideFolder(vault, path.join(vault, file)))
  })
}

/** `memory/x.md#section` and `memory/x.md (line 3)` name memory/x.md; a source in prose names no file. */
function parseSourceFile(source: string): string | null {
  return /^[`"']?([\w./~-]+\.\w{1,8})(?![\w.])/.exec(source.trim())?.[1] ?? null
}

function isInside(file: string): boolean {
  return !path.isAbsolute(file) && !file.startsWith('~') && !path.normalize(file).startsWith('..')
}
