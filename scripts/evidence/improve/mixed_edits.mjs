// The design under study: several edits are tried at once in mixes, and the best mix is certified once against v0 on held-out cases.
import { shuffleFirst } from '../../../dist/src/phases/4-report/stats/distributions/seeded_random.js'
import { sampleMean } from '../../../dist/src/phases/4-report/stats/numbers/moments.js'
import { moderatedT } from '../../../dist/src/phases/4-report/stats/tests/moderated_t.js'
import { signFlip } from '../../../dist/src/phases/4-report/stats/tests/sign_flip.js'
import { estimateEffects } from './edit_effects.mjs'
import { mixed } from './parameters.mjs'

/** Only the p-value is used, which does not depend on it. */
const intervalUnused = { alpha: 0.05 }
const flipSeed = 1

function shuffled(values, random) {
  const copy = [...values]
  shuffleFirst(copy, copy.length, random)
  return copy
}

/** `count` values, each as often as the others or once more. */
function takeTurns(values, count, random) {
  const taken = []
  while (taken.length < count) taken.push(...shuffled(values, random))
  return taken.slice(0, count)
}

/** A whole session. `design`: the numbers of `mixed`, or others. */
export function mixedEdits(session, design = mixed) {
  if (session.budget < design.leastRuns || session.cases.length < 2) return []
  const order = shuffled(session.cases, session.random)
  const count = Math.max(1, Math.min(order.length - 1, Math.round(order.length * design.trainingShare)))
  const [training, held] = [order.slice(0, count), order.slice(count)]
  const search = Math.floor(session.budget * design.searchShare)
  const rounds = Math.min(design.mostRounds, Math.max(1, Math.round(search / design.roundRuns)))
  let best = []
  for (let round = 1; round <= rounds; round += 1) {
    const runs = Math.floor((search * round) / rounds) - session.counts.runs
    best = [...best, ...searchRound(session, { best, training, runs, design })]
  }
  return isCertified(session, best, { held, design }) ? best : []
}

/** Shows runs of the best version to the proposer, tries its edits in mixes, and returns those that seem to help. */
function searchRound(session, { best, training, runs, design }) {
  const results = []
  const record = (edits, at) => {
    const score = session.run([...best, ...edits], at)
    results.push({ at, ids: new Set(edits.map(({ id }) => id)), score })
    return score
  }
  const most = Math.floor(runs * design.shownShare)
  const shown = takeTurns(training, Math.max(1, Math.min(training.length, most)), session.random)
  const failed = shown.filter((at) => record([], at) === 0).length
  const edits = proposeSeparateEdits(session, { shown, failed, count: design.proposals })
  const splits = Array.from({ length: design.splits }, () => splitEdits(edits, session.random))
  const pairs = Math.floor((runs - results.length) / 2)
  const turns = takeTurns(splits, pairs, session.random)
  for (const [turn, at] of takeTurns(training, pairs, session.random).entries()) {
    for (const half of turns[turn]) record(half, at)
  }
  const ids = edits.map(({ id }) => id)
  const effects = estimateEffects(results, ids, design)
  return edits.filter(({ id }) => effects.get(id) > 0)
}

/** Several proposals for the same version: an edit that touches the lines of an earlier one is refused before any run. */
function proposeSeparateEdits(session, { shown, failed, count }) {
  const edits = []
  for (let proposal = 0; proposal < count; proposal += 1) {
    const fresh = session.propose(shown, failed)
    edits.push(...fresh.filter((edit) => !edits.some((other) => session.isOverlap(edit, other))))
  }
  return edits
}

/** Two versions that together have each edit once. */
function splitEdits(edits, random) {
  const first = new Set(shuffled(edits, random).slice(0, Math.floor(edits.length / 2)))
  return [edits.filter((one) => first.has(one)), edits.filter((one) => !first.has(one))]
}

/** Fresh runs of both versions on held-out cases. Both decide, one-sided: the moderated t, and where a case got worse the sign flip over cases. */
function isCertified(session, edits, { held, design }) {
  const pairs = Math.floor(session.left() / 2)
  if (edits.length === 0 || pairs === 0) return false
  const scores = new Map(held.map((at) => [at, { candidate: [], baseline: [] }]))
  for (const at of takeTurns(held, pairs, session.random)) {
    scores.get(at).candidate.push(session.certify(edits, at))
    scores.get(at).baseline.push(session.certify([], at))
  }
  const cases = [...scores.values()].filter(({ candidate }) => candidate.length > 0)
  const found = moderatedT(cases, intervalUnused)
  if (found === null || found.mean <= 0 || found.pValue / 2 > design.alpha) return false
  const differences = cases.map(({ candidate, baseline }) => sampleMean(candidate) - sampleMean(baseline))
  return differences.every((one) => one >= 0) || signFlip(differences, flipSeed).above <= design.caseAlpha
}
