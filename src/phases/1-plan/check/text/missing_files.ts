/** Finds files of the skill that its texts name in backticks and that are not there. */
import path from 'node:path'
import { creationWords } from './missing_scripts.ts'

export interface MissingFile {
  /** Relative to the skill. */
  name: string
  /** Index of the line in the text, from 0. */
  line: number
}

/** In backticks: a path in a folder that the specification gives to skills, at most followed by arguments. */
const span =
  /(?<!`)`(?:\.\/|\$\{?(?:CLAUDE_SKILL_DIR|SKILL_DIR)\}?\/|\{baseDir\}\/)?((?:scripts|references?|assets|templates)\/[\w./-]*\w\.[a-z][a-z0-9]{0,7})(?:#[\w-]+)?(?: [^`]*)?`(?!`)/g

/** The paragraph says that the file is an example, may be absent, or is somebody else's. */
const otherFile =
  /\b(?:e\.g|for example|such as|for instance|would|could|optional(?:ly)?|whether|missing|absent|exists?|projects?|repo(?:sitory)?|codebase|workspace|target|produc\w+|export\w*|emit\w*|bundle[ds]?|copy|rename|split|extract|old|former\w*|plugin|another|sibling|upstream|downstream|skill['’]s)\b|^\W*examples?\b|['’]s `/i

/** Returns each once, at its first line. `folder`: of the text, relative to the skill. `files`: of the skill, as agents see them. */
export function findMissingFiles(
  { folder, lines }: { folder: string; lines: readonly string[] },
  files: readonly string[],
): MissingFile[] {
  const known = new Set(files.map((file) => file.split(path.sep).join('/')))
  const found = new Map<string, number>()
  let isCode = false
  for (const [line, text] of lines.entries()) {
    if (/^\s*(?:```|~~~)/.test(text)) isCode = !isCode
    if (isCode || !text.includes('`') || otherFile.test(readParagraph(lines, line))) continue
    for (const [, named = ''] of text.matchAll(span)) {
      const name = path.posix.normalize(named)
      const isKnown = known.has(name) || known.has(path.posix.join(folder, name))
      if (!isKnown && !isPlaceholder.test(name) && !found.has(name)) found.set(name, line)
    }
  }
  const isMade = (name: string) => lines.some((text) => text.includes(name) && creationWords.test(text))
  return [...found].flatMap(([name, line]) => (isMade(name) ? [] : [{ name, line }]))
}

/** The line with those before it in its paragraph, item or row. */
function readParagraph(lines: readonly string[], line: number): string {
  let first = line
  while (first > 0 && !begins.test(lines[first] ?? '') && (lines[first - 1] ?? '').trim() !== '') first -= 1
  return lines.slice(first, line + 1).join(' ')
}

const begins = /^\s*(?:[-*+]|\d+[.)]|#{1,6}|\|)\s?/

const isPlaceholder =
  /\/(?:(?:my|your|some)[-_][\w-]*|x+|foo|bar|baz|name|file|filename|script|topic|example\d*|sample|placeholder)\.\w+$|xxx|\.\.\./i
