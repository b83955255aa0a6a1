/**
 * Distribution functions and quantiles (normal, beta, Student t), within 1e-9 for probabilities from 1e-6 to 1 − 1e-6. A beta quantile next
 * to 1 is as exact as doubles are there: 1e-16.
 */
import { gammaln } from 'simple-statistics'

/** P(Z ≤ x) for a standard normal Z, by Marsaglia's series; absolute error below 1e-15. */
export function normalCdf(x: number): number {
  if (Math.abs(x) > 9) return x > 0 ? 1 : 0
  let term = x
  let sum = x
  for (let odd = 3; sum + term !== sum; odd += 2) {
    term *= (x * x) / odd
    sum += term
  }
  return Math.min(1, Math.max(0, 0.5 + sum * normalDensity(x)))
}

/** The z with P(Z ≤ z) = p, for 0 < p < 1. */
export function normalQuantile(p: number): number {
  if (p > 0.5) return -normalQuantile(1 - p)
  const t = Math.sqrt(-2 * Math.log(p))
  let z = (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t ** 3) - t
  for (let step = 0; step < 4; step += 1) {
    const error = (normalCdf(z) - p) / normalDensity(z)
    z -= error / (1 + (z * error) / 2)
  }
  return z
}

function normalDensity(x: number): number {
  return Math.exp(-(x * x) / 2) / Math.sqrt(2 * Math.PI)
}

/** ln B(a, b). */
export function logBeta(a: number, b: number): number {
  return gammaln(a) + gammaln(b) - gammaln(a + b)
}

/** I_x(a, b), the regularised incomplete beta function: P(X ≤ x) for X ~ Beta(a, b). */
export function betaCdf(x: number, a: number, b: number): number {
  return betaShare({ x, rest: 1 - x }, a, b)
}

/** `rest` is 1 − x, passed separately because it may be too small to compute from x. */
function betaShare({ x, rest }: { x: number; rest: number }, a: number, b: number): number {
  if (x <= 0) return 0
  if (rest <= 0) return 1
  const logs = x < 0.5 ? [Math.log(x), Math.log1p(-x)] : [Math.log1p(-rest), Math.log(rest)]
  const [own = 0, other = 0] = logs
  const front = Math.exp(a * own + b * other - logBeta(a, b))
  if (x < (a + 1) / (a + b + 2)) return (front * betaFraction(x, a, b)) / a
  return 1 - (front * betaFraction(rest, b, a)) / b
}

/** The continued fraction of the incomplete beta function, by Lentz's method (Numerical Recipes, 6.4). */
function betaFraction(x: number, a: number, b: number): number {
  const kept = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value)
  let c = 1
  let d = 1 / kept(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= 10_000; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / kept(1 + even * d)
    c = kept(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / kept(1 + odd * d)
    c = kept(1 + odd / c)
    result *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return result
}

/** The x with I_x(a, b) = p. */
export function betaQuantile(p: number, a: number, b: number): number {
  let [low, high] = [0, 1]
  for (let step = 0; step < 200 && high - low > 1e-16 * high; step += 1) {
    const middle = (low + high) / 2
    if (betaCdf(middle, a, b) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** P(T ≤ t) for Student's t; `df` may be a fraction. */
export function tCdf(t: number, df: number): number {
  // near 0, computing the rest from df / (df + t²) would lose it to rounding
  const [whole, squared] = [df + t * t, t * t]
  const tail = betaShare({ x: df / whole, rest: squared / whole }, df / 2, 0.5) / 2
  return t > 0 ? 1 - tail : tail
}

const tQuantileCache = new Map<string, number>()

/** The t with P(T ≤ t) = p. */
export function tQuantile(p: number, df: number): number {
  if (p < 0.5) return -tQuantile(1 - p, df)
  const key = `${p} ${df}`
  const before = tQuantileCache.get(key)
  if (before !== undefined) return before
  const found = searchTQuantile(p, df)
  if (tQuantileCache.size < 10_000) tQuantileCache.set(key, found)
  return found
}

/** Newton's method from the normal quantile: above 0 the distribution function is concave, so each step stays below the solution. */
function searchTQuantile(p: number, df: number): number {
  let t = normalQuantile(p)
  for (let step = 0; step < 100; step += 1) {
    const density = Math.exp(-logBeta(0.5, df / 2) - ((df + 1) / 2) * Math.log1p((t * t) / df)) / Math.sqrt(df)
    const more = (tCdf(-t, df) - (1 - p)) / density
    t += more
    if (Math.abs(more) <= 1e-14 * t) break
  }
  return t
}
