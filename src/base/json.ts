/** The door for JSON: text in, a checked value out; errors name the file, the field and the bad value. */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { z } from 'zod'
import { absence, isDeadLink } from './dead_link.ts'
import { isSurelyFlat, isTooDeep, tooDeep } from './depth.ts'
import { codeOf, messageOf, UserError } from './error.ts'
import { readSmall } from './files.ts'
import { quickParse, unsure } from './quick_parse.ts'

/** Parses JSON text (a BOM is ignored). `line`: of the file, where the text begins. Throws UserError with line and column of the mistake, and for a value that is nested too deep. */
export function parseJson(text: string, file: string, line = 1): unknown {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  const value = parseText(body, file, line)
  if (!isSurelyFlat(body) && isTooDeep(value)) throw new UserError(`${file}: ${tooDeep}`, 'nothing of ours is: mend it')
  return value
}

/** The value of a JSON text; undefined where it is none, or nested too deep. */
export function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return !isSurelyFlat(text) && isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

function parseText(body: string, file: string, line: number): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    if (isUtf16(body)) throw new UserError(`${file}: is in UTF-16, where UTF-8 is read`, 'save it as UTF-8')
    const where = position(body, messageOf(error), line)
    throw new UserError(
      `${file}${where}: not valid JSON (${messageOf(error).replaceAll(/\s+/g, ' ')})`,
      'mend the syntax there',
    )
  }
}

/** Whether bytes in UTF-16 were read as UTF-8: its byte order mark is none there, and without one each second byte is 0. */
function isUtf16(text: string): boolean {
  return text.startsWith('\uFFFD\uFFFD') || /^(?:\0[^\0]|[^\0]\0)/.test(text)
}

/** Parses JSON text and checks it against the schema. Throws UserError naming the field and the value found. */
function parseAs<S extends z.ZodType>(schema: S, text: string, file: string): z.infer<S> {
  return checkAs(schema, parseJson(text, file), file)
}

/** Checks a value against the schema. Throws UserError that lists up to five mistakes. */
export function checkAs<S extends z.ZodType>(schema: S, value: unknown, file: string): z.infer<S> {
  const quick = quickParse(schema, value)
  if (quick !== unsure) return quick as z.infer<S>
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, 5).map((issue) => `${jsonPath(issue.path)}: ${issue.message}`)
  const more = result.error.issues.length > 5 ? ` (and ${result.error.issues.length - 5} more)` : ''
  throw new UserError(`${file}: ${issues.join('; ')}${more}`)
}

/** Reads and checks a JSON file. Throws UserError for a missing, unreadable or unfit file. */
export async function readJson<S extends z.ZodType>(schema: S, file: string): Promise<z.infer<S>> {
  return parseAs(schema, await readText(file), file)
}

/** Reads a text file. Throws UserError when it is not there or can't be read. */
export async function readText(file: string): Promise<string> {
  try {
    return readSmall(file)?.toString('utf8') ?? (await readFile(file, 'utf8'))
  } catch (error) {
    if (error instanceof UserError) throw error
    const code = codeOf(error)
    if (code === 'EISDIR') throw new UserError(`${file}: is a folder`, 'name a file')
    const fix = isDeadLink(file) ? 'mend the link, or put the file there' : null
    throw new UserError(`${file}: ${code === 'ENOENT' ? absence(file, 'no such file') : messageOf(error)}`, fix)
  }
}

/** A JSON path such as $.evals[2].id from zod's path. */
export function jsonPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((at, key) => (typeof key === 'number' ? `${at}[${key}]` : `${at}.${String(key)}`), '$')
}

/** JSON with sorted keys and no white space: the same value gives the same text. Written by hand: a replacer takes five times as long. */
export function canonicalJson(value: unknown): string {
  if (value instanceof MadeJson) return value.text
  if (value === null || typeof value !== 'object' || hasToJson(value)) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const entries: [string, unknown][] = Object.entries(value)
  entries.sort(byName)
  let text = ''
  for (const [name, inner] of entries) {
    if (inner !== undefined) text += `${text === '' ? '' : ','}${JSON.stringify(name)}:${canonicalJson(inner)}`
  }
  return `{${text}}`
}

/** A value whose canonical JSON was made once, where it stands in thousands of others. */
export class MadeJson {
  readonly text: string

  constructor(value: unknown) {
    this.text = canonicalJson(value)
  }
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function hasToJson(value: object): boolean {
  return 'toJSON' in value
}

/** Hex sha256 of text or bytes. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** Line and column of the mistake, as `:2:12`. The engine names the offset of some mistakes only. */
function position(text: string, message: string, line: number): string {
  const offset = offsetIn(message, text) ?? shortestBroken(text) - 1
  const before = text.slice(0, offset).split('\n')
  return `:${line - 1 + before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

function offsetIn(message: string, text: string): number | null {
  const found = /position (\d+)/.exec(message)
  if (found?.[1]) return Number(found[1])
  return /end of JSON/.test(message) ? text.length : null
}

/** Length of the shortest beginning that no further text could mend, found by halving. */
function shortestBroken(text: string): number {
  let [low, high] = [1, text.length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (isBroken(text.slice(0, middle))) high = middle
    else low = middle + 1
  }
  return low
}

function isBroken(beginning: string): boolean {
  try {
    JSON.parse(beginning)
    return false
  } catch (error) {
    return (offsetIn(messageOf(error), beginning) ?? -1) < beginning.length
  }
}
