/** Numbers as data write them: no signs of thousands or money, a point before the fraction. */

/** The number that the whole text is; null: it is none. */
export function numberIn(text: string): number | null {
  const plain = text.replace(/^\uFEFF/, '').trim()
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(plain) ? Number(plain) : null
}

/** Whether they differ by no more than `tolerance`; what binary fractions add does not count. */
export function isNear(one: number, other: number, tolerance: number): boolean {
  if (tolerance === 0) return one === other
  return Math.abs(one - other) <= tolerance + Number.EPSILON * 4 * Math.max(1, Math.abs(one), Math.abs(other))
}
