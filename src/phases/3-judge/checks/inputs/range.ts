/** Ranges of checks: `equals`, or `min` and `max`. */
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
