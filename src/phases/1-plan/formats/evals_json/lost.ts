/** What reading a JSON file loses without a word: the first of two fields of one name, and characters that are no UTF-8. */
import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { jsonPath } from '../../../../base/json.ts'
import type { Warn } from '../../warnings.ts'

/** Warns of it; `text` is what was read of the file, and is valid JSON. */
export async function warnOfLost(text: string, file: string, warn: Warn): Promise<void> {
  for (const at of keysTwice(text)) warn(at, 'the field stands twice there; the last one counts')
  if (text.includes('\uFFFD') && !isUtf8(await readFile(file)))
    warn('$', 'the file is not UTF-8: characters of it are lost, read as \uFFFD')
}

interface Level {
  /** null: a list. */
  keys: Set<string> | null
  /** Of what is read now: its key or its number. */
  at: string | number
}

/** JSON paths of fields of which an earlier one of the same object has the name. */
function keysTwice(text: string): string[] {
  const found: string[] = []
  const levels: Level[] = []
  let last = ''
  for (const part of partsOf(text)) {
    const level = levels.at(-1)
    if (part === '{') levels.push({ keys: new Set(), at: '' })
    else if (part === '[') levels.push({ keys: null, at: 0 })
    else if (part === '}' || part === ']') levels.pop()
    else if (part === ',' && typeof level?.at === 'number') level.at += 1
    else if (part === ':' && level?.keys) {
      level.at = JSON.parse(last)
      if (level.keys.has(String(level.at))) found.push(jsonPath(levels.map(({ at }) => at)))
      level.keys.add(String(level.at))
    }
    last = part
  }
  return found
}

/** Strings, and what opens, closes and parts objects and lists; the rest of valid JSON says nothing of keys. */
function* partsOf(text: string): Generator<string> {
  const sign = /["{}[\],:]/g
  for (let found = sign.exec(text); found !== null; found = sign.exec(text)) {
    if (found[0] === '"') sign.lastIndex = endOfString(text, found.index)
    yield text.slice(found.index, sign.lastIndex)
  }
}

/** Sign by sign: a pattern with a star in a star keeps a place to go back to for each escape, and some millions of them are too many. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}
