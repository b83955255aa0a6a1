// One session of one contestant in a world: it buys runs and gets proposals, and every run is counted.
import { createSeededRandom } from '../../../dist/src/phases/4-report/stats/distributions/seeded_random.js'
import { secondJudge } from './parameters.mjs'
import { chanceOf, drawEdit, isOverlap } from './world.mjs'

/**
 * `lane` tells contestants apart: their runs are independent, their proposals come from the same stream. `atOnce`: edits that a proposal has.
 */
export function createSession(world, { budget, lane, atOnce = 1 }) {
  const random = createSeededRandom(world.seed * 31 + 104_729 * (lane + 1))
  const known = new Map()
  const counts = { runs: 0, proposals: 0, edits: 0 }

  function chances(edits, at) {
    const key = `${edits.map(({ id }) => id).join()}:${at}`
    const found = known.get(key) ?? chanceOf(world, edits, world.suite[at])
    known.set(key, found)
    return found
  }

  return {
    cases: world.suite.map((_, at) => at),
    random,
    counts,
    budget,
    left: () => budget - counts.runs,
    /** A version is the list of its edits in the order of their ids. 1: the judge of the search says that the run passed. */
    run(edits, at) {
      counts.runs += 1
      return random() < chances(edits, at).graded ? 1 : 0
    },
    /** The same, decided by code or by a second judge. */
    certify(edits, at) {
      counts.runs += 1
      const passed = random() < chances(edits, at).certified
      const turned = world.rule === 'please' && random() < secondJudge.error
      return passed !== turned ? 1 : 0
    },
    /**
     * The edits of one proposal, without those that touch the lines of an earlier one. `seen`: the cases shown to the proposer. `failed`: how
     * many of them have a failed run.
     */
    propose(seen, failed) {
      const edits = []
      for (let tries = 0; tries < atOnce; tries += 1) {
        const edit = drawEdit(world, { index: counts.edits, seen, failed })
        counts.edits += 1
        if (!edits.some((other) => isOverlap(edit, other))) edits.push(edit)
      }
      counts.proposals += 1
      return edits
    },
    isOverlap,
  }
}

/** Scores of each case, `each` runs of it: `[[1, 0], [1, 1], …]`. */
export function scoreCases(session, edits, { cases, each }) {
  return cases.map((at) => Array.from({ length: each }, () => session.run(edits, at)))
}

export function meanScore(scores) {
  return scores.reduce((sum, own) => sum + own.reduce((all, one) => all + one, 0) / own.length, 0) / scores.length
}

/** How many cases have a failed run: what a proposer can learn from. */
export function countFailed(scores) {
  return scores.filter((own) => own.includes(0)).length
}
