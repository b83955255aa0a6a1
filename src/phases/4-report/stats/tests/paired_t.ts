/** The paired t test over case means: the cases are a sample of similar cases (Miller 2024, arXiv 2411.00640). */
import { fewestSimilarCases, fewestVariedCases } from '../../../../base/smallest_design.ts'
import { tCdf, tQuantile } from '../distributions/quantiles.ts'
import type { Interval } from '../numbers/describe.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import type { CaseScores } from '../scores/case_scores.ts'

const near = 1e-9

export interface PairedT extends Interval {
  mean: number
  standardError: number
  df: number
  /** Two-sided; null: nothing varies. */
  pValue: number | null
}

/** From one difference per case; null below two cases. If nothing varies the interval has no width, and the caller must not show it. */
export function pairedT(differences: readonly number[], alpha: number): PairedT | null {
  const n = differences.length
  if (n < 2) return null
  const mean = sampleMean(differences)
  const standardError = Math.sqrt(sampleVariance(differences) / n)
  const half = tQuantile(1 - alpha / 2, n - 1) * standardError
  const pValue = standardError === 0 ? null : 2 * tCdf(-Math.abs(mean) / standardError, n - 1)
  return { mean, standardError, df: n - 1, pValue, low: mean - half, high: mean + half }
}

export function differenceOfMeans({ candidate, baseline }: CaseScores): number {
  return sampleMean(candidate) - sampleMean(baseline)
}

export function countDiscordant(differences: readonly number[]): number {
  return differences.filter((one) => Math.abs(one) > near).length
}

/** Whether the spread of the case differences can be trusted: enough of them differ, by different amounts, and are fine enough. */
export function isSpreadShown(cases: readonly CaseScores[]): boolean {
  const differences = cases.map(differenceOfMeans)
  const isUniform = sampleVariance(differences) < near ** 2
  const isFine = cases.length >= fewestVariedCases(countVerdicts(cases))
  return !isUniform && isFine && countDiscordant(differences) >= fewestSimilarCases
}

/**
 * Verdicts per case and arm, the harmonic mean over the cases: runs × expectations. If every score is 0 or 1, a run's expectations count as
 * one, because they agree.
 */
export function countVerdicts(cases: readonly CaseScores[]): number {
  const scores = new Set<number>()
  for (const { candidate, baseline } of cases) {
    for (const one of candidate) scores.add(one)
    for (const one of baseline) scores.add(one)
  }
  const isAllOrNothing = [...scores].every((one) => one === 0 || one === 1)
  const usual = Math.max(1, scores.size - 1)
  let inverse = 0
  for (const { candidate, baseline, expectations = usual } of cases) {
    inverse += 1 / (Math.min(candidate.length, baseline.length) * (isAllOrNothing ? 1 : Math.max(1, expectations)))
  }
  return cases.length / inverse
}
