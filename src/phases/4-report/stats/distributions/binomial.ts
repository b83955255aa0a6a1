/** Wilson's interval for counts. Never Wald, which has no width at k = n. */
import { clipInterval, type Interval } from '../numbers/describe.ts'
import { normalQuantile } from './quantiles.ts'

/** Wilson's score interval for k of n; k may be a sum of shares. 0 to 1 if n is 0. */
export function wilson(k: number, n: number, alpha: number): Interval {
  if (n === 0) return { low: 0, high: 1 }
  const z = normalQuantile(1 - alpha / 2)
  const rate = k / n
  const centre = (rate + (z * z) / (2 * n)) / (1 + (z * z) / n)
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((rate * (1 - rate)) / n + (z * z) / (4 * n * n))
  return clipInterval({ low: k === 0 ? 0 : centre - half, high: k === n ? 1 : centre + half }, [0, 1])
}
