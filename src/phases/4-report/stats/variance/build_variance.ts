/** Builds `statistics.variance`: the components of the uncertainty, and the answer to "more cases or more runs?". */
import type { Variance } from '../../../../../schemas/variance.ts'
import { formatPercent, formatPlural } from '../../text/format.ts'
import { sampleMean } from '../numbers/moments.ts'
import { round } from '../numbers/round.ts'
import { type CaseScores, keepComparable } from '../scores/case_scores.ts'
import { type Components, estimateComponents } from './estimate_components.ts'

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
  const sentence = [
    `More cases or more runs? ${formatPercent(case_share)} of the uncertainty on similar cases is between cases (${interval}), the rest between ${rest}:`,
    `${formatPlural(cases_more, 'more case')} (${formatPlural(2 * runs_more * cases_more, 'run')}) ${cases_more === 1 ? 'narrows' : 'narrow'} the interval as much as`,
    `${formatPlural(runs_more, 'more run')} per case and configuration (${formatPlural(2 * runs_more * found.cases, 'run')}).`,
  ].join(' ')
  return { case_share, case_share_low, case_share_high, runs_more, cases_more, sentence }
}
