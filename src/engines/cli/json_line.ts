/** Reads one line of an agent CLI's output: a JSON object, or something that can't be read. */
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { isTooDeep, tooDeepText } from '../../base/json/nesting_depth.ts'
import type { EngineError } from '../engine.ts'

/** `isTooDeep`: the line is JSON, but nested too deep to be used. */
export type UnreadableLine = { kind: 'unreadable'; isTooDeep: boolean }

const object = z.record(z.string(), z.unknown())

/** Parses a line that should be one JSON object. */
export function parseJsonLine(line: string): { kind: 'object'; value: Record<string, unknown> } | UnreadableLine {
  const read = object.safeParse(tryParseJson(line))
  if (read.success) return { kind: 'object', value: read.data }
  return { kind: 'unreadable', isTooDeep: isDeepText(line) }
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
