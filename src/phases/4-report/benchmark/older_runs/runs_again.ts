/** Decides which runs that are too old are run again: a sample for a test of drift, or all. */
import { chooseDriftSample } from './drift_sample.ts'
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
