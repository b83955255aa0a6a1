/** Builds `statistics.variance`: the components of the uncertainty, and the answer to "more cases or more runs?". */
import type { Variance } from '../../../../../schemas/variance.ts'
import { formatPercent, formatPlural } from '../../text/format.ts'
import { betaQuantile } from '../distributions/quantiles.ts'
import { sampleMean, sampleVariance } from '../numbers/moments.ts'
import { round } from '../numbers/round.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'

/** `grading`: variance between gradings of one transcript; null: unknown. */
export function buildVariance(all: readonly CaseScores[], grading: number | null): Variance {
  const cases = keepComparable(all)
  const found = estimateComponents(cases)
  if (found === null) {
    const why =
      cases.length < 2
        ? `the spread between cases needs two graded cases, not ${cases.length}`
        : 'a case has one run in a configuration, so its spread between runs is unknown'
    return { ...unknown, grading, sentence: `More cases or more runs? No estimate: ${why}.` }
  }
  const parts = {
    case: round(found.case, 6),
    case_low: round(found.low, 6),
    case_high: round(found.high, 6),
    run: round(Math.max(0, found.run - (grading ?? 0)), 6),
    grading,
  }
  if (found.case + found.noise === 0)
    return {
      ...unknown,
      ...parts,
      sentence: 'More cases or more runs? No estimate: nothing varies between cases or runs.',
    }
  return { ...unknown, ...parts, ...advise(cases, found, grading) }
}

const unknown = {
  ...{ case: null, case_low: null, case_high: null, run: null },
  ...{ case_share: null, case_share_low: null, case_share_high: null, runs_more: null, cases_more: null },
}

function advise(cases: readonly CaseScores[], found: Components, grading: number | null) {
  const share = (between: number) => (between === 0 ? 0 : round(between / (between + found.noise), 4))
  const [case_share, case_share_low, case_share_high] = [share(found.case), share(found.low), share(found.high)]
  const runs_more = Math.max(
    1,
    Math.round(sampleMean(cases.flatMap((one) => [one.candidate.length, one.baseline.length]))),
  )
  // twice the runs halve the noise of each case; more cases divide both parts
  const narrowed = (found.case + found.noise) / (found.case + found.noise / 2)
  const cases_more = Math.ceil(found.cases * (narrowed - 1) - 1e-9)
  const rest = grading === null ? 'runs, grading included' : 'runs and gradings'
  const interval = `95% CI [${formatPercent(case_share_low)}, ${formatPercent(case_share_high)}]`
  const sentence =
    cases_more === 0
      ? 'More cases or more runs? The runs of a case hardly differ, so only more cases narrow the interval on similar cases.'
      : [
          `More cases or more runs? ${formatPercent(case_share)} of the uncertainty on similar cases is between cases (${interval}), the rest between ${rest}:`,
          `${formatPlural(cases_more, 'more case')} (${formatPlural(2 * runs_more * cases_more, 'run')}) ${cases_more === 1 ? 'narrows' : 'narrow'} the interval as much as`,
          `${formatPlural(runs_more, 'more run')} per case and configuration (${formatPlural(2 * runs_more * found.cases, 'run')}).`,
        ].join(' ')
  return { case_share, case_share_low, case_share_high, runs_more, cases_more, sentence }
}

/**
 * Variance components of the difference, by the method of moments (analysis of variance): between cases, between runs within a case and
 * configuration, and between gradings within a run. Checked against known components: test/slow/variance.nightly.test.ts.
 */
interface Components {
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
