/**
 * Variance components of the difference, by the method of moments (analysis of variance): between cases, between runs within a case and
 * configuration, and between gradings within a run. Checked against known components: test/slow/variance.nightly.test.ts.
 */
import { betaQuantile } from '../distributions/quantiles.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'

export interface Components {
  /** Variance of the true differences between cases; never below 0. */
  case: number
  /** The same without that bound: right on average. */
  unbounded: number
  low: number
  high: number
  /** Of a score, within a case and configuration. */
  run: number
  /** Mean over the cases of the variance that runs add to the difference of a case. */
  noise: number
  cases: number
}

/** null: fewer than two cases with runs in both configurations, or a cell has one run, whose variance is unknown. */
export function estimateComponents(all: readonly CaseScores[], alpha = 0.05): Components | null {
  const cases = keepComparable(all)
  if (cases.length < 2 || !hasRepeatedRuns(cases)) return null
  const cells = cases.map(({ candidate, baseline }) => [candidate, baseline])
  const noise = sampleMean(cells.map((pair) => pair.reduce((sum, cell) => sum + sampleVariance(cell) / cell.length, 0)))
  const between = sampleVariance(cases.map((one) => sampleMean(one.candidate) - sampleMean(one.baseline)))
  const freedom = cases.length - 1
  const bound = (p: number) => Math.max(0, (between * freedom) / chiSquareQuantile(p, freedom) - noise)
  return {
    case: Math.max(0, between - noise),
    unbounded: between - noise,
    low: bound(1 - alpha / 2),
    high: bound(alpha / 2),
    run: sampleMean(cells.flat().map(sampleVariance)),
    noise,
    cases: cases.length,
  }
}

function hasRepeatedRuns(cases: readonly CaseScores[]): boolean {
  return cases.every(({ candidate, baseline }) => Math.min(candidate.length, baseline.length) > 1)
}

/** As the limit of a beta distribution; six digits. */
function chiSquareQuantile(p: number, df: number): number {
  const large = 1e6
  const share = betaQuantile(p, df / 2, large)
  return (2 * large * share) / (1 - share)
}
