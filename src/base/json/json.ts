/** Reads and checks JSON; errors name the file, the field and the bad value. */
import { hash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type * as z from 'zod'
import { errnoCode, errorMessage, UserError } from '../errors/error.ts'
import { describeMissingPath, isDeadLink, suggestPath } from '../fs/nearest_path.ts'
import { assertRegularFile } from '../fs/special_files.ts'
import { isTooDeep, tooDeepText } from './json_text.ts'

/** Parses JSON, ignoring a BOM. `line`: first line of the text in the file. Throws UserError (line:column) for mistakes, deep nesting. */
export function parseJson(text: string, file: string, line = 1): unknown {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  const value = parseText(body, file, line)
  if (isTooDeep(value)) throw new UserError(`${file}: ${tooDeepText}`, 'flatten it')
  return value
}

/** The value of a JSON text; undefined: invalid, or nested too deep. */
export function tryParseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isTooDeep(value) ? undefined : value
  } catch {
    return undefined
  }
}

function parseText(body: string, file: string, line: number): unknown {
  try {
    return JSON.parse(body)
  } catch (error) {
    if (isUtf16(body)) throw new UserError(`${file}: encoded as UTF-16, expected UTF-8`, 'save it as UTF-8')
    const message = errorMessage(error).replaceAll(/\s+/g, ' ')
    const offset = findErrorOffset(errorMessage(error), body) ?? shortestBroken(body) - 1
    const where = position(body, offset, line)
    throw new UserError(`${file}${where}: not valid JSON (${message})`, jsonFix({ text: body, offset, message }))
  }
}

/** Whether UTF-16 bytes were decoded as UTF-8: the byte order mark is invalid there; without one, every second byte is 0. */
function isUtf16(text: string): boolean {
  return text.startsWith('\uFFFD\uFFFD') || /^(?:\0[^\0]|[^\0]\0)/.test(text)
}

/** Checks a value against the schema. Throws UserError that lists up to five mistakes. */
export function checkAs<S extends z.ZodType>(schema: S, value: unknown, file: string): z.infer<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const issues = result.error.issues.slice(0, 5).map((issue) => `${formatJsonPath(issue.path)}: ${issue.message}`)
  const more = result.error.issues.length > 5 ? ` (and ${result.error.issues.length - 5} more)` : ''
  throw new UserError(`${file}: ${issues.join('; ')}${more}`)
}

/** Reads and checks a JSON file. Throws UserError for a missing, unreadable or invalid file. */
export async function readJson<S extends z.ZodType>(schema: S, file: string): Promise<z.infer<S>> {
  return checkAs(schema, parseJson(await readText(file), file), file)
}

/** Reads a text file. Throws UserError when it is missing or can't be read. */
export async function readText(file: string): Promise<string> {
  try {
    assertRegularFile(file)
    return await readFile(file, 'utf8')
  } catch (error) {
    if (error instanceof UserError) throw error
    const code = errnoCode(error)
    if (code === 'EISDIR') throw new UserError(`${file}: expected a file, found a folder`, 'give the path of a file')
    const isMissing = code === 'ENOENT'
    const near = isMissing ? (suggestPath(file) ?? 'check the path') : null
    const fix = isDeadLink(file) ? 'fix the link, or put the file there' : near
    throw new UserError(`${file}: ${isMissing ? describeMissingPath(file, 'no such file') : errorMessage(error)}`, fix)
  }
}

/** A JSON path such as $.evals[2].id from zod's path. */
export function formatJsonPath(path: readonly PropertyKey[]): string {
  return path.reduce<string>((at, key) => (typeof key === 'number' ? `${at}[${key}]` : `${at}.${String(key)}`), '$')
}

/** JSON with sorted keys and no white space. (A replacer of JSON.stringify can't sort keys that look like numbers.) */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value !== 'object' || 'toJSON' in value) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const entries: [string, unknown][] = Object.entries(value).filter(([, inner]) => inner !== undefined)
  entries.sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${entries.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}

/** Hex sha256 of text or bytes. */
export function sha256(data: string | Uint8Array): string {
  return hash('sha256', data, 'hex')
}

/** Line and column of an offset, as `:2:12`. */
function position(text: string, offset: number, line: number): string {
  const before = text.slice(0, offset).split('\n')
  return `:${line - 1 + before.length}:${(before.at(-1)?.length ?? 0) + 1}`
}

function findErrorOffset(message: string, text: string): number | null {
  const found = /position (\d+)/.exec(message)
  if (found?.[1]) return Number(found[1])
  return /end of JSON/.test(message) ? text.length : null
}

/** Length of the shortest beginning that no further text could complete, by binary search. */
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
    return (findErrorOffset(errorMessage(error), beginning) ?? -1) < beginning.length
  }
}

/** Suggests how to fix a syntax error in JSON, from what is written at its place. */
interface SyntaxMistake {
  text: string
  /** Of the mistake in the text. */
  offset: number
  message: string
}

function jsonFix({ text, offset, message }: SyntaxMistake): string {
  const before = text.slice(0, offset).trimEnd()
  const [next = ''] = text.slice(offset)
  if (text.trim() === '') return 'write a JSON value there, such as {}'
  if (before.endsWith(',') && (next === ']' || next === '}')) return `remove the comma before "${next}"`
  if (before.endsWith(',') && next === ',') return 'remove one of the two commas'
  if (next === "'") return 'use double quotes instead of single quotes'
  if (next === '/' || next === '#') return 'remove the comment: JSON has no comments'
  return fixByMessage.find(({ form }) => form.test(message))?.fix ?? fixByNext(next)
}

const fixByMessage: readonly { form: RegExp; fix: string }[] = [
  { form: /^Unterminated string/, fix: 'close the quote' },
  { form: /^Expected ',' or/, fix: 'add a comma there, or close the bracket' },
  { form: /^Expected ':'/, fix: 'add a colon after the name' },
  { form: /property name/, fix: 'put the name in double quotes' },
  { form: /^Bad control character/, fix: 'write \\n instead of a line break, \\t instead of a tab' },
  { form: /^Bad (escaped character|Unicode escape)/, fix: 'write \\\\ for a backslash' },
  { form: /after JSON/, fix: 'remove the text after the end of the value' },
]

function fixByNext(next: string): string {
  if (next === '') return 'add what is missing at the end, such as a closing bracket'
  if (/[a-z]/i.test(next)) return 'put text in double quotes; without them only true, false, null and numbers are valid'
  return `remove or replace "${next}" there`
}
