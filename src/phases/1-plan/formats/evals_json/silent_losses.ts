/** Reports what parsing JSON loses silently: the first of two fields with one name, and bytes that are not UTF-8. */
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { formatJsonPath } from '../../../../base/json/json.ts'
import type { Warn } from '../../suite/loader_warnings.ts'

/** `text` is the file's text, and valid JSON. */
export async function warnLostContent(text: string, file: string, warn: Warn): Promise<void> {
  for (const at of findDuplicateFields(text)) warn(at, 'the field occurs twice; the last one counts')
  if (text.includes('\uFFFD') && !isUtf8(await readFile(file)))
    warn('$', 'the file is not UTF-8: characters of it are lost, read as \uFFFD')
}

interface Level {
  /** null: a list. */
  keys: Set<string> | null
  /** Current key or index. */
  at: string | number
}

/** JSON paths of fields whose name occurs earlier in the same object. */
function findDuplicateFields(text: string): string[] {
  const found: string[] = []
  const levels: Level[] = []
  let last = ''
  for (const part of scanJsonParts(text)) {
    const level = levels.at(-1)
    if (part === '{') levels.push({ keys: new Set(), at: '' })
    else if (part === '[') levels.push({ keys: null, at: 0 })
    else if (part === '}' || part === ']') levels.pop()
    else if (part === ',' && typeof level?.at === 'number') level.at += 1
    else if (part === ':' && level?.keys) {
      level.at = JSON.parse(last)
      if (level.keys.has(String(level.at))) found.push(formatJsonPath(levels.map(({ at }) => at)))
      level.keys.add(String(level.at))
    }
    last = part
  }
  return found
}

/** Yields strings and structural characters; other tokens of valid JSON do not concern keys. */
function* scanJsonParts(text: string): Generator<string> {
  const sign = /["{}[\],:]/g
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    if (found[0] === '"') sign.lastIndex = endOfString(text, found.index)
    yield text.slice(found.index, sign.lastIndex)
  }
}

/** Reads character by character: a nested-star pattern keeps a backtracking point per escape, too many for millions of them. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
