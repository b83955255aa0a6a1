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

/** What a session needs: a run to show and a pair to try, then two pairs to certify. */
export const leastRuns = 8

/** From this number on, most sessions show a gain of 20 points. */
export const usefulRuns = 120

export function planSession(runs: number): SessionRuns {
  const search_runs = Math.floor(runs / 2)
  const rounds = Math.min(mostRounds, Math.max(1, Math.round(search_runs / roundRuns)))
  return { search_runs, certification_runs: runs - search_runs, rounds }
}

/** The runs that a round may use; what earlier rounds left over is added. */
export function roundBudget({ search_runs, rounds }: SessionRuns, { round, used }: { round: number; used: number }) {
  const runs = Math.max(0, Math.floor((search_runs * round) / rounds) - used)
  return { runs, mostShown: Math.max(1, Math.floor(runs * shownShare)) }
}
