/** Divides a session's runs: half search for better edits on training cases, half certify the result on held-out cases. */

export interface SessionRuns {
  search_runs: number
  certification_runs: number
  rounds: number
}

/** A round takes at least about this many runs, and more rounds than four bring little (docs/explanation/improve-simulations.md). */
const roundRuns = 20
const mostRounds = 4
/** The most of a round's runs that go to the version so far, for the proposers to read. */
const shownShare = 0.2

/** One pass of a few cases says little: a version that passes this many runs in a row fails at most one run in seven (95%). */
const solvedRuns = 20

/** Each from another group of failures. */
export const proposalsPerRound = 3

/** What a session needs: a run to show and a pair to try, then three pairs to certify. */
export const leastRuns = 12

/** From this number on, most sessions show a gain of 20 points. */
export const usefulRuns = 120

export function planSession(runs: number): SessionRuns {
  const search_runs = Math.floor(runs / 2)
  const rounds = Math.min(mostRounds, Math.max(1, Math.round(search_runs / roundRuns)))
  return { search_runs, certification_runs: runs - search_runs, rounds }
}

export interface RoundBudget {
  runs: number
  /** Runs of the version so far, for the proposers to read. */
  mostShown: number
  /** The same, while all of them pass. Then nothing is left to learn. */
  mostPassing: number
}

/** The runs that a round may use, of so many training cases. What earlier rounds left over is added. */
export function roundBudget(
  { search_runs, rounds }: SessionRuns,
  { round, used, cases }: { round: number; used: number; cases: number },
): RoundBudget {
  const runs = Math.max(0, Math.floor((search_runs * round) / rounds) - used)
  const mostShown = Math.min(cases, Math.max(1, Math.floor(runs * shownShare)))
  // a pair is left to try an edit
  return { runs, mostShown, mostPassing: Math.max(mostShown, Math.min(Math.max(solvedRuns, cases), runs - 2)) }
}

/** How many pairs of runs each held-out case gets: the same number, and one more for the first cases if the runs leave some over. */
export function dividePairs(heldOut: readonly number[], runs: number): Map<number, number> {
  const pairs = Math.max(1, Math.floor(runs / 2))
  const [each, more] = [Math.floor(pairs / heldOut.length), pairs % heldOut.length]
  return new Map(heldOut.map((id, at) => [id, each + (at < more ? 1 : 0)]))
}
