/** Coverage and verdicts of an interval on fixed cases, for one design in one world. */

import { isTooSmall } from '../../src/base/smallest_design.ts'
import { createSeededRandom } from '../../src/phases/4-report/stats/distributions/seeded_random.ts'
import type { Interval } from '../../src/phases/4-report/stats/numbers/describe.ts'
import type { CaseScores } from '../../src/phases/4-report/stats/scores/case_scores.ts'
import { moderatedT } from '../../src/phases/4-report/stats/tests/moderated_t.ts'
import { drawTruths, meanOfTruths, type Plan, runSuite, type World } from './generators.ts'

const alpha = 0.05

export type IntervalOnCases = (cases: readonly CaseScores[]) => Interval & { pValue: number }

export interface Simulated {
  suites: number
  /** Share of suites whose interval contains the true mean difference of their cases. */
  coverage: number
  /** Shares of suites with `helps`, and with `helps` or `hurts`. */
  helps: number
  verdicts: number
}

interface Draws {
  suites: number
  seed: number
  effect: number
  /** Absent: the moderated t. */
  interval?: IntervalOnCases
}

export function simulateDesign(world: World, plan: Plan, draws: Draws): Simulated {
  const { suites, seed, effect, interval = moderated } = draws
  const random = createSeededRandom(seed)
  let [covered, helps, hurts] = [0, 0, 0]
  for (let suite = 0; suite < suites; suite += 1) {
    const truths = drawTruths(random, world, { cases: plan.cases, effect })
    const truth = meanOfTruths(truths)
    const scores = runSuite(random, truths, plan).map((one) => ({ ...one.scores, expectations: plan.expectations }))
    const { low, high, pValue } = interval(scores)
    if (low - 1e-9 <= truth && truth <= high + 1e-9) covered += 1
    if (pValue > alpha || isTooSmall(scores, alpha)) continue
    if (low > 0) helps += 1
    if (high < 0) hurts += 1
  }
  return { suites, coverage: covered / suites, helps: helps / suites, verdicts: (helps + hurts) / suites }
}

function moderated(cases: readonly CaseScores[]) {
  const found = moderatedT(cases, { alpha })
  if (found === null) throw new Error('no case to compare')
  return found
}
