/** pass@k (Chen 2021) and pass^k (τ-bench 2024) of a case from c passes in n runs; not defined, rather than 1, if n < k. */

/** The chance that at least one of k runs passes: 1 − C(n−c, k) / C(n, k). null: n < k. */
export function passAtK(n: number, c: number, k: number): number | null {
  const none = choiceRatio(n, n - c, k)
  return none === null ? null : 1 - none
}

/** The chance that all of k runs pass: C(c, k) / C(n, k). null: n < k. */
export function passHatK(n: number, c: number, k: number): number | null {
  return choiceRatio(n, c, k)
}

/** C(some, k) / C(n, k), as a product. */
function choiceRatio(n: number, some: number, k: number): number | null {
  if (n < k) return null
  let ratio = 1
  for (let at = 0; at < k; at += 1) ratio *= Math.max(0, some - at) / (n - at)
  return ratio
}

/** The values of k that get a row. */
const shownKs = [1, 2, 3, 5, 10]

/** The mean over the cases by k, for every k that all cases have runs for. */
export function meanOverCases(
  cases: readonly { runs: number; passed: number }[],
  estimate: (n: number, c: number, k: number) => number | null,
): Record<string, number> {
  const found: Record<string, number> = {}
  for (const k of shownKs) {
    const values = cases.map(({ runs, passed }) => estimate(runs, passed, k))
    if (values.length === 0 || values.includes(null)) continue
    found[String(k)] = values.reduce((sum: number, one) => sum + (one ?? 0), 0) / values.length
  }
  return found
}

/** The unbiased chance that two runs of a case differ in pass or fail; 0 with fewer than two runs. */
export function disagreement(n: number, c: number): number {
  return n < 2 ? 0 : (2 * c * (n - c)) / (n * (n - 1))
}
