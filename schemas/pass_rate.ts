/** How the verdicts of a run make its pass rate: each by its weight and its score; diagnostics are left out. */

export interface RatedVerdict {
  passed: boolean
  /** Above 0; absent: 1. */
  weight?: number | undefined
  /** 0 to 1; absent: 1 if passed, else 0. */
  score?: number | undefined
  diagnostic?: boolean | undefined
}

/** Without diagnostics. */
export function keepRated<V extends { diagnostic?: boolean | undefined }>(verdicts: readonly V[]): V[] {
  return verdicts.filter(({ diagnostic }) => diagnostic !== true)
}

export function verdictScore({ passed, score }: RatedVerdict): number {
  return score ?? (passed ? 1 : 0)
}

/** Σ weight × score ÷ Σ weight, from 0 to 1; 0 if nothing is decided. */
export function weightedPassRate(verdicts: readonly RatedVerdict[]): number {
  const rated = keepRated(verdicts)
  const weights = relativeWeights(rated)
  const sumOf = (scores: readonly number[]) =>
    weights.reduce((sum, weight, index) => sum + weight * (scores[index] ?? 1), 0)
  return rated.length === 0 ? 0 : Math.min(1, sumOf(rated.map(verdictScore)) / sumOf([]))
}

/** The largest is 1, so that no sum of them is too large. */
export function relativeWeights(verdicts: readonly RatedVerdict[]): number[] {
  const largest = verdicts.reduce((most, { weight = 1 }) => Math.max(most, weight), 0)
  return verdicts.map(({ weight = 1 }) => weight / largest)
}

/** Whether the rate may differ from the share of the verdicts that passed. */
export function isWeighted(verdicts: readonly RatedVerdict[]): boolean {
  return verdicts.some(
    ({ weight, score, diagnostic }) => weight !== undefined || score !== undefined || diagnostic === true,
  )
}
