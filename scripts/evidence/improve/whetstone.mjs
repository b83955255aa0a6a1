// Whetstone on the simulated world: the functions of `improve` divide the cases and the runs, draw the mixes, estimate the effects and certify.
import { blankCase } from '../../../dist/src/phases/1-plan/suite/inspected_suite.js'
import { splitCases } from '../../../dist/src/phases/1-plan/suite/split_suite.js'
import { certify } from '../../../dist/src/phases/4-report/acceptance/certify.js'
import { usualMargins } from '../../../dist/src/phases/4-report/acceptance/guards.js'
import { drawMixes, takeTurns } from '../../../dist/src/phases/5-improve/search/draw_mixes.js'
import { estimateRound } from '../../../dist/src/phases/5-improve/search/estimate_round.js'
import {
  dividePairs,
  leastRuns,
  planSession,
  proposalsPerRound,
  roundBudget,
} from '../../../dist/src/phases/5-improve/search/plan_session.js'
import { runSeconds, runUsd } from './parameters.mjs'

const isWon = ({ result }) => result === 'won'

/** A whole session. `isShipped`: whether a certification ships its version; another rule shows what the certification prevents. */
export function playWhetstone(session, isShipped = isWon) {
  if (session.budget < leastRuns || session.cases.length < 2) return []
  const { train, held_out: heldOut } = splitSession(session.cases, session.random)
  const plan = planSession(session.budget)
  const best = searchEdits(session, { train, plan })
  if (best.length === 0) return []
  const order = takeTurns(heldOut, heldOut.length, session.random)
  const cases = runPairs(session, best, dividePairs(order, plan.certification_runs))
  const judge = { kind: 'code', name: null }
  const made = certify({ benchmark: '', best: 'v1', cases, goal: 'better', margins: usualMargins, judge })
  return isShipped(made) ? best : []
}

/** The edits of the newest version. */
function searchEdits(session, { train, plan }) {
  const seen = new Set()
  let best = []
  for (let round = 1; round <= plan.rounds; round += 1) {
    const budget = roundBudget(plan, { round, used: session.counts.runs, cases: train.length })
    const shown = showParent(session, { best, train, budget })
    if (shown.isSolved) break
    for (const { evalId } of shown.runs) seen.add(evalId)
    best = [...best, ...searchRound(session, { best, seen, train, budget, shown: shown.runs })]
  }
  return best
}

/** The training and the held-out cases. */
export function splitSession(cases, random) {
  const suite = cases.map((at) => ({ ...blankCase, eval_id: at, eval_key: null, eval_name: `case ${at}` }))
  return splitCases(suite, Math.floor(random() * 2 ** 31))
}

function runEdits(session, { best, edits = [] }, evalId) {
  const score = session.run([...best, ...edits], evalId)
  return { evalId, edits: new Set(edits.map(({ id }) => id)), score, tokens: null }
}

/** Some training cases, and more while all runs pass. */
function showParent(session, { best, train, budget }) {
  const order = takeTurns(train, budget.mostPassing, session.random)
  const runs = []
  for (let next = budget.mostShown; runs.length < order.length; next = train.length) {
    for (const at of order.slice(runs.length, runs.length + next)) runs.push(runEdits(session, { best }, at))
    if (runs.some(({ score }) => score === 0)) return { runs, isSolved: false }
  }
  return { runs, isSolved: order.length >= train.length }
}

/** Tries the edits of several proposals in mixes, and returns those that seem to help. Their authors have seen all earlier training runs. */
function searchRound(session, { best, seen, train, budget, shown }) {
  const failed = shown.filter(({ score }) => score === 0).length
  const edits = []
  for (let proposal = 0; proposal < proposalsPerRound; proposal += 1) {
    const fresh = session.propose([...seen], failed)
    edits.push(...fresh.filter((edit) => !edits.some((other) => session.isOverlap(edit, other))))
  }
  const pairs = Math.floor((budget.runs - shown.length) / 2)
  const ids = edits.map(({ id }) => id)
  const mixes = drawMixes(ids, { cases: train, pairs, random: session.random }).flatMap(({ evalId, halves }) =>
    halves.map((half) => runEdits(session, { best, edits: edits.filter(({ id }) => half.includes(id)) }, evalId)),
  )
  for (const { evalId } of mixes) seen.add(evalId)
  const { kept } = estimateRound({ ids, goal: 'better', cases: train, runs: [...shown, ...mixes] })
  return edits.filter(({ id }) => kept.includes(id))
}

/** Fresh runs of both versions, by the judge that certifies. Both truly cost and take the same; what runs show varies. */
function runPairs(session, edits, pairsOf) {
  return [...pairsOf].map(([evalId, pairs]) => {
    const [candidate, baseline] = [edits, []].map((version) =>
      Array.from({ length: pairs }, () => session.certify(version, evalId)),
    )
    const draw = ({ mean, cv }) => drawSides({ candidate: mean, baseline: mean }, { cv, pairs, random: session.random })
    return toPairedCase(evalId, { candidate, baseline }, { seconds: draw(runSeconds), usd: draw(runUsd) })
  })
}

/** What runs of both versions take: lognormal around their means, with this coefficient of variation. */
export function drawSides({ candidate, baseline }, { cv, pairs, random }) {
  const spread = Math.sqrt(Math.log(1 + cv ** 2))
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
  const draw = (mean) => Array.from({ length: pairs }, () => mean * Math.exp(spread * normal() - spread ** 2 / 2))
  return { candidate: draw(candidate), baseline: draw(baseline) }
}

/** `amounts`: what the runs took, in the units that are known. */
export function toPairedCase(evalId, { candidate, baseline }, amounts) {
  const unknown = { candidate: candidate.map(() => null), baseline: baseline.map(() => null) }
  const passed = { candidate: candidate.map((one) => one === 1), baseline: baseline.map((one) => one === 1) }
  return { evalId, candidate, baseline, passed, seconds: unknown, usd: unknown, tokens: unknown, ...amounts }
}
