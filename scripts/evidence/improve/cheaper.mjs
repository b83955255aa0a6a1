// `--goal cheaper`: how often a version with a known true loss and a known saving is certified as "as good and cheaper".
import { certify } from '../../../dist/src/phases/4-report/acceptance/certify.js'
import { usualMargins } from '../../../dist/src/phases/4-report/acceptance/guards.js'
import { createSeededRandom } from '../../../dist/src/phases/4-report/stats/distributions/seeded_random.js'
import { dividePairs, planSession } from '../../../dist/src/phases/5-improve/search/plan_session.js'
import { caseTokens, tokensCv } from './parameters.mjs'
import { drawSides, splitSession, toPairedCase } from './whetstone.mjs'

/** The held-out cases: the chances of v0, and of a version whose mean loss is exactly `loss`. Cases in turn lose less and more by `unequal`. */
function drawCases({ cases, random, skill, loss }) {
  const { held_out: heldOut } = splitSession(
    Array.from({ length: cases }, (_, at) => at),
    random,
  )
  const count = heldOut.length
  return heldOut.map((evalId, at) => {
    const chance = skill.low + skill.spread * random()
    const apart = at === count - 1 && count % 2 === 1 ? 0 : at % 2 === 0 ? skill.unequal : -skill.unequal
    return { evalId, chance, after: chance - loss + apart, tokens: caseTokens.low + caseTokens.spread * random() }
  })
}

function isCertified({ cases, runs, saved, random }) {
  const passes = (chance, count) => Array.from({ length: count }, () => (random() < chance ? 1 : 0))
  const pairsOf = dividePairs(
    cases.map(({ evalId }) => evalId),
    runs,
  )
  const paired = cases.map(({ evalId, chance, after, tokens: mean }) => {
    const pairs = pairsOf.get(evalId)
    const scores = { candidate: passes(after, pairs), baseline: passes(chance, pairs) }
    const means = { candidate: mean * (1 - saved), baseline: mean }
    return toPairedCase(evalId, scores, { tokens: drawSides(means, { cv: tokensCv, pairs, random }) })
  })
  const judge = { kind: 'code', name: null }
  const asked = { benchmark: '', best: 'v1', cases: paired, goal: 'cheaper', margins: usualMargins, judge }
  return certify(asked).result === 'won'
}

/** The share of the sessions that certify the version. */
export function certifiedShare({ budget, cases, skill, loss, saved }, sessions, from = 0) {
  const { certification_runs: runs } = planSession(budget)
  let certified = 0
  for (let at = from; at < from + sessions; at += 1) {
    const random = createSeededRandom(1_000_003 * cases + at)
    const drawn = drawCases({ cases, random, skill, loss })
    certified += isCertified({ cases: drawn, runs, saved, random }) ? 1 : 0
  }
  return certified / sessions
}
