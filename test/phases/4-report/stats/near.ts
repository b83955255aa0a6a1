/** Comparing with reference values, to 1e-6. */
import { expect } from 'vitest'

export const alpha = 0.05

export function near(found: number | null | undefined, wanted: number | null | undefined): void {
  expect(Math.abs((found ?? Number.NaN) - (wanted ?? Number.NaN))).toBeLessThan(1e-6)
}

export function ends(found: { low: number; high: number } | null, [low, high]: readonly number[]): void {
  near(found?.low, low)
  near(found?.high, high)
}
