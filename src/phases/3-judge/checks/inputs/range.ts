/** Numbers of checks: read from a text, near another, or in a range (`equals`, or `min` and `max`). */
import type { Range } from '../../../../../schemas/checks/shared.ts'

export function isInRange({ min, max, equals }: Range, count: number): boolean {
  if (equals !== undefined) return count === equals
  return count >= (min ?? 0) && count <= (max ?? Number.POSITIVE_INFINITY)
}

/** For example: at least 2, from 2 to 5, exactly 3. */
export function rangeText({ min, max, equals }: Range): string {
  if (equals !== undefined) return `exactly ${equals}`
  if (min === undefined) return `at most ${max}`
  return max === undefined ? `at least ${min}` : `from ${min} to ${max}`
}

/** With a noun: exactly 1 file, from 2 to 5 files. */
export function formatRangeCount(range: Range, word: string): string {
  const last = range.equals ?? range.max ?? range.min
  return `${rangeText(range)} ${word}${last === 1 ? '' : 's'}`
}

/** The number if the whole text is one; null: it is not. */
export function parseNumber(text: string): number | null {
  const plain = text.replace(/^\uFEFF/, '').trim()
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain) ? Number(plain) : null
}

/** Whether they differ by at most `tolerance`, ignoring binary rounding errors. */
export function isNear(one: number, other: number, tolerance: number): boolean {
  if (tolerance === 0) return one === other
  return Math.abs(one - other) <= tolerance + Number.EPSILON * 4 * Math.max(1, Math.abs(one), Math.abs(other))
}
