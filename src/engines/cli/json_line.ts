/** Reads the lines of an agent CLI and the values in them; those that have no meaning for Whetstone, or can't be read, become `system` events. */
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { isTooDeep, tooDeepText } from '../../base/json/json_text.ts'
import type { EmittedEvent, EngineError } from '../engine.ts'

/** `isTooDeep`: the line is JSON, but nested too deep to be used. */
export type UnreadableLine = { kind: 'unreadable'; isTooDeep: boolean }

/** A JSON object that has no meaning for Whetstone, or does not fit its type. */
export interface OtherLine {
  kind: 'other'
  value: Record<string, unknown>
}

/** One line of a CLI whose records fit one schema. */
export type RecordLine<T> = { kind: 'record'; record: T } | OtherLine | UnreadableLine

const object = z.record(z.string(), z.unknown())

/** Parses a line that should be one JSON object. */
export function parseJsonLine(line: string): { kind: 'object'; value: Record<string, unknown> } | UnreadableLine {
  const read = object.safeParse(tryParseJson(line))
  if (read.success) return { kind: 'object', value: read.data }
  return { kind: 'unreadable', isTooDeep: isDeepText(line) }
}

/** Reads one line. A record that does not fit its own type is `other`: a new version must not end a run. */
export function readRecordLine<T>(line: string, schema: z.ZodType<T>): RecordLine<T> {
  const read = parseJsonLine(line)
  if (read.kind === 'unreadable') return read
  const known = schema.safeParse(read.value)
  return known.success ? { kind: 'record', record: known.data } : { kind: 'other', value: read.value }
}

function isDeepText(line: string): boolean {
  try {
    return isTooDeep(JSON.parse(line))
  } catch {
    return false
  }
}

/** The error of a run whose output was nested too deep: what the agent did is not known. */
export const tooDeepError: EngineError = {
  kind: 'bad_output',
  message: `the agent's output has JSON that is ${tooDeepText}`,
  retryable: true,
  retryAfterMs: null,
}

/** The most characters of a line that is kept as JSON, and the most lines that are kept. */
const rawLimit = 20_000
const keptLimit = 200

export class OtherLines {
  /** The last line that was not a JSON object; null: there was none. */
  unreadable: string | null = null
  /** Whether such a line was JSON, but nested too deep to be used. */
  isTooDeep = false

  readonly #emit: (event: EmittedEvent) => void
  #count = 0

  constructor(emit: (event: EmittedEvent) => void) {
    this.#emit = emit
  }

  /** Keeps a line as it was read. */
  keepLine(line: string, read: OtherLine | UnreadableLine, step: number): void {
    if (read.kind === 'unreadable') this.keepUnreadable(line, read, step)
    else this.keep(nameRecord(read.value), { line, value: read.value, step })
  }

  /** Keeps a record; `subtype` names its kind. */
  keep(subtype: string, { line, value, step }: { line: string; value: unknown; step: number }): void {
    this.#keepEvent({ subtype, step }, line.length <= rawLimit ? { raw: toJsonValue(value) } : toText(line))
  }

  keepUnreadable(line: string, { isTooDeep }: UnreadableLine, step: number): void {
    this.unreadable = line
    this.isTooDeep ||= isTooDeep
    this.#keepEvent({ subtype: 'unreadable', step }, toText(line))
  }

  #keepEvent(
    event: { subtype: string; step: number },
    content: { raw: ReturnType<typeof toJsonValue> } | { text: string },
  ) {
    this.#count += 1
    if (this.#count <= keptLimit) this.#emit({ type: 'system', ...event, ...content })
  }
}

/** Its type, with the subtype if there is one. */
export function nameRecord({ type, subtype }: Record<string, unknown>): string {
  return [type, subtype].filter((part) => typeof part === 'string').join('/') || 'unknown'
}

function toText(line: string): { text: string } {
  return { text: line.slice(0, rawLimit) }
}

const json = z.json()

/** The value itself if it is JSON, else its text; a value that is nested too deep is replaced by a note that says so. */
export function toJsonValue(value: unknown): z.infer<typeof json> {
  if (isTooDeep(value)) return `(${tooDeepText})`
  const checked = json.safeParse(value)
  return checked.success ? checked.data : String(value)
}

const blocks = z.array(z.looseObject({ type: z.string() }))

/** A string, or blocks; a block without text, such as an image, is shown by its type. */
export function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  const read = blocks.safeParse(content)
  if (!read.success) return ''
  return read.data.map((one) => (typeof one.text === 'string' ? one.text : `[${one.type}]`)).join('\n')
}
