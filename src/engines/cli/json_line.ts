/** Reads one line of an agent CLI's output: a JSON object, or something that can't be read. */
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { isTooDeep, tooDeepText } from '../../base/json/nesting_depth.ts'
import type { EngineError } from '../engine.ts'

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
