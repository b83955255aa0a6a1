/** Stops trying the setup of a case that failed in its first runs: it would fail in the others too, each time at its full length. */
import type { RunSpec } from '../../../schemas/plan.ts'
import type { RunRecord } from '../../../schemas/run.ts'

/** Failed runs of a case without any other run, after which its setup is not tried again. */
const mostFailures = 2

export interface SetupFailures {
  learn(spec: RunSpec, record: RunRecord): void
  /** Why the run is not started; null: it may start. */
  refusal(spec: RunSpec): string | null
}

export function openSetupFailures(): SetupFailures {
  const cases = new Map<number, { failures: number; hasWorked: boolean; message: string }>()
  return {
    learn({ eval_id, setup }, record) {
      if (setup === null) return
      const known = cases.get(eval_id) ?? { failures: 0, hasWorked: false, message: '' }
      cases.set(eval_id, known)
      const message = commandFailure(record)
      if (message !== null) Object.assign(known, { message, failures: known.failures + 1 })
      else if (record.status !== 'failed' || record.error.kind !== 'setup') known.hasWorked = true
    },
    refusal({ eval_id }) {
      const known = cases.get(eval_id)
      if (known === undefined || known.hasWorked || known.failures < mostFailures) return null
      return `not started, because setup failed in ${mostFailures} runs of this case: ${known.message}`
    },
  }
}

/** The message of a failed command of setup; null: it did not fail, or an input file or a worker was the reason. */
function commandFailure(record: RunRecord): string | null {
  if (record.status !== 'failed' || record.error.kind !== 'setup') return null
  return record.error.message.startsWith('sh -c ') ? record.error.message : null
}
