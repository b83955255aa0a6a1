/** Decides which runs that are too old are run again: a sample for a test of drift, or all. */
import { driftAlpha, smallestDriftP } from './drift_test.ts'
import type { StaleRun } from './stale_runs.ts'

type CaseRun = StaleRun<{ run_id: string; eval_id: number; run_number: number; configuration: string }>

interface RunsAgainRequest<S> {
  stale: readonly S[]
  /** Runs that an earlier start of the same benchmark sampled. */
  sampledBefore: readonly { eval_id: number; configuration: string }[]
  /** Configurations in which an earlier start found drift. */
  drifted: ReadonlySet<string>
  /** False: nothing is sampled, all are run again. */
  samples: boolean
}

/** One entry for each configuration with runs to run again. */
export interface RunsAgain<S> {
  configuration: string
  /** Runs that are too old. */
  older: number
  again: S[]
  /** True: the new results are compared with the older ones. False: the older ones are all replaced. */
  tested: boolean
}

/** A run on another model or engine version is always replaced. */
export function chooseRunsAgain<S extends CaseRun>(request: RunsAgainRequest<S>): RunsAgain<S>[] {
  const configurations = [...new Set(request.stale.map(({ run }) => run.configuration))]
  return configurations.flatMap((configuration) => {
    const own = request.stale.filter(({ run }) => run.configuration === configuration)
    const aged = own.filter(({ why }) => why === 'age')
    const before = request.sampledBefore.filter((run) => run.configuration === configuration)
    const canSample = request.samples && aged.length === own.length && !request.drifted.has(configuration)
    const sample = canSample
      ? chooseDriftSample(
          aged,
          before.map(({ eval_id }) => eval_id),
        )
      : own
    const tested = sample.length < own.length
    return sample.length === 0 ? [] : { configuration, older: own.length + before.length, again: sample, tested }
  })
}

const leastShare = 0.2
/** Beyond so many cases not each one needs a sampled run. */
const mostCases = 20

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
