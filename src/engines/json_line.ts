/** One line of what an agent CLI tells: a JSON object, or none that can be read. */
import { z } from 'zod'
import { isSurelyFlat, isTooDeep, tooDeep } from '../base/depth.ts'
import { jsonIn } from '../base/json.ts'
import type { EngineError } from './engine.ts'

/** `isTooDeep`: it is JSON, and nested too deep to be taken in. */
export type UnreadableLine = { kind: 'unreadable'; isTooDeep: boolean }

const object = z.record(z.string(), z.unknown())

/** The object that a line is. */
export function objectIn(line: string): { kind: 'object'; value: Record<string, unknown> } | UnreadableLine {
  const read = object.safeParse(jsonIn(line))
  if (read.success) return { kind: 'object', value: read.data }
  return { kind: 'unreadable', isTooDeep: !isSurelyFlat(line) && isDeepText(line) }
}

function isDeepText(line: string): boolean {
  try {
    return isTooDeep(JSON.parse(line))
  } catch {
    return false
  }
}

/** Of a run in which something nested too deep was said: what it did is not known. */
export const saidTooDeep: EngineError = {
  kind: 'bad_output',
  message: `the agent said something that is ${tooDeep}`,
  retryable: true,
  retryAfterMs: null,
}
