/** Reads numbers in data notation: no thousands separators, no currency, a decimal point. */

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
