/** Whether a rule fits a conversation, and what its patterns captured. */
import { sha256 } from '../base/json.ts'
import type { Conversation } from './conversation.ts'
import type { When } from './scenario.ts'

export type Captures = Readonly<Record<string, string>>

export interface Fit {
  conversation: Conversation
  /** The conversation's number among those that began alike. */
  seed: number
  /** The scenario's seed. */
  salt: number
}

/** The named groups of all patterns of a rule that fits; null when it does not. */
export function matchRule(when: When, fit: Fit): Captures | null {
  if (!plainConditions(when, fit)) return null
  const { conversation: at } = fit
  const results = at.results.filter((one) => when.result_of === undefined || one.tool === when.result_of)
  const captures: Record<string, string> = {}
  const searches: [RegExp | undefined, readonly string[]][] = [
    [when.system, [at.system]],
    [when.user, [at.user]],
    [when.last, [at.last]],
    [when.model, [at.model]],
    [when.result, results.map((one) => one.text)],
    [when.called, at.calls],
    [when.tool, at.tools],
  ]
  for (const [pattern, texts] of searches) {
    if (pattern === undefined) continue
    const found = texts.map((text) => pattern.exec(text)).findLast((match) => match !== null)
    if (!found) return null
    Object.assign(captures, found.groups)
  }
  if (when.result_error !== undefined && results.at(-1)?.isError !== when.result_error) return null
  return captures
}

function plainConditions(when: When, { conversation: at, seed, salt }: Fit): boolean {
  const { turn } = when
  const range = typeof turn === 'number' ? { min: turn, max: turn } : (turn ?? {})
  if (at.turn < (range.min ?? 0) || at.turn > (range.max ?? Number.POSITIVE_INFINITY)) return false
  if (when.not_called && at.calls.some((call) => when.not_called?.test(call))) return false
  if (when.no_tool && at.tools.some((tool) => when.no_tool?.test(tool))) return false
  if (when.chance !== undefined && fraction(`${salt} ${at.key} ${seed}`) >= when.chance) return false
  if (when.seed === undefined) return true
  return Array.isArray(when.seed) ? when.seed.includes(seed) : when.seed.in.includes(seed % when.seed.mod)
}

/** A number in [0, 1) that the text alone decides. */
export function fraction(text: string): number {
  return Number.parseInt(sha256(text).slice(0, 12), 16) / 2 ** 48
}
