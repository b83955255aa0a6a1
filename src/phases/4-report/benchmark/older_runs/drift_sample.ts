/** Chooses which runs that are too old are run again to test for drift: the oldest, from as many cases as possible. */
import { driftAlpha, smallestDriftP } from './drift_test.ts'
import type { StaleRun } from './stale_runs.ts'

const leastShare = 0.2
/** Beyond so many cases not each one needs a sampled run. */
const mostCases = 20

type CaseRun = StaleRun<{ run_id: string; eval_id: number; run_number: number; configuration: string }>

/**
 * At least a fifth, one for each case up to 20, and enough for the test to detect a complete change; at most all. `already`: cases of runs
 * sampled by an earlier start of the same benchmark, which count.
 */
export function chooseDriftSample<S extends CaseRun>(stale: readonly S[], already: readonly number[] = []): S[] {
  const oldest = [...stale].sort((a, b) => a.at - b.at || a.run.run_number - b.run.run_number)
  const older = countCases([...stale.map(({ run }) => run.eval_id), ...already])
  const total = stale.length + already.length
  const least = Math.max(Math.ceil(leastShare * total), Math.min(mostCases, older.size))
  const sampled = countCases(already)
  const chosen: S[] = []
  const isEnough = () => {
    const cells = [...older].map(([id, count]) => ({ fresh: sampled.get(id) ?? 0, older: count }))
    return already.length + chosen.length >= least && smallestDriftP(cells) <= driftAlpha
  }
  for (let next = takeNext(oldest, sampled); next !== null; next = takeNext(oldest, sampled)) {
    if (isEnough()) break
    chosen.push(next)
    sampled.set(next.run.eval_id, (sampled.get(next.run.eval_id) ?? 0) + 1)
  }
  return chosen
}

/** Removes and returns the oldest run of the cases with the fewest sampled runs; null: none is left. */
function takeNext<S extends CaseRun>(oldest: S[], sampled: ReadonlyMap<number, number>): S | null {
  const count = ({ run }: S) => sampled.get(run.eval_id) ?? 0
  const fewest = oldest.reduce((least, one) => Math.min(least, count(one)), Number.POSITIVE_INFINITY)
  const [next = null] = oldest.splice(
    oldest.findIndex((one) => count(one) === fewest),
    1,
  )
  return next
}

function countCases(ids: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1)
  return counts
}
