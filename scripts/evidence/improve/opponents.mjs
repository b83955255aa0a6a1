// Loops that others use, on the simulated world: strict greater, keep or revert, and SkillOpt's gate.
import { leastScoreRuns } from './parameters.mjs'
import { countFailed, meanScore, scoreCases } from './session.mjs'

const runsPerCase = (cases) => Math.max(1, Math.ceil(leastScoreRuns / cases.length))

/** Takes whatever scores higher on all its cases than the best score so far. The proposer sees all cases. */
export function strictGreater(session) {
  const asked = { cases: session.cases, each: runsPerCase(session.cases) }
  const cost = asked.cases.length * asked.each
  if (session.left() < cost) return []
  let best = { edits: [], scores: scoreCases(session, [], asked) }
  while (session.left() >= cost) {
    const edits = [...best.edits, ...session.propose(session.cases, countFailed(best.scores))]
    const scores = scoreCases(session, edits, asked)
    if (meanScore(scores) > meanScore(best.scores)) best = { edits, scores }
  }
  return best.edits
}

/** Keep or revert: both versions run on all cases each time, so no lucky score is kept; the better one stays. */
export function hillclimb(session) {
  const asked = { cases: session.cases, each: runsPerCase(session.cases) }
  const cost = 2 * asked.cases.length * asked.each
  let kept = []
  while (session.left() >= cost) {
    const before = scoreCases(session, kept, asked)
    const edits = [...kept, ...session.propose(session.cases, countFailed(before))]
    if (meanScore(scoreCases(session, edits, asked)) > meanScore(before)) kept = edits
  }
  return kept
}

/**
 * SkillOpt: a rollout on training cases, an edit from it, and the gate of skillopt/evaluation/gate.py (microsoft/SkillOpt, bdfdc30; arXiv
 * 2605.23904) on the selection cases: accepted only if strictly higher than the current score, which is kept from before. The best score
 * ships. Its defaults assume hundreds of cases (2:1:7); here half the cases are for training and half for selection, because a
 * selection of one or two cases would be unfair, and there is no test part. Its steps have at most four edits, and fewer later.
 */
export function skillOpt(session) {
  const half = Math.floor(session.cases.length / 2)
  const train = { cases: session.cases.slice(0, half), each: 1 }
  const selection = { cases: session.cases.slice(half), each: 1 }
  const cost = train.cases.length + selection.cases.length
  if (session.left() < selection.cases.length) return []
  const first = meanScore(scoreCases(session, [], selection))
  let [current, best] = [
    { edits: [], score: first },
    { edits: [], score: first },
  ]
  while (session.left() >= cost) {
    const shown = scoreCases(session, current.edits, train)
    const edits = [...current.edits, ...session.propose(train.cases, countFailed(shown))]
    const score = meanScore(scoreCases(session, edits, selection))
    if (score <= current.score) continue
    current = { edits, score }
    if (score > best.score) best = current
  }
  return best.edits
}
