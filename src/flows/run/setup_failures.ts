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
      if (!isSetupFailure(record)) {
        known.hasWorked ||= record.status !== 'failed' || record.error.kind !== 'setup'
        return
      }
      known.failures += 1
      known.message = record.error.message
    },
    refusal({ eval_id }) {
      const known = cases.get(eval_id)
      if (known === undefined || known.hasWorked || known.failures < mostFailures) return null
      return `not started, because setup failed in ${mostFailures} runs of this case: ${known.message}`
    },
  }
}

/** The command itself, not an input file or a worker. */
function isSetupFailure(record: RunRecord): record is Extract<RunRecord, { status: 'failed' }> {
  return record.status === 'failed' && record.error.kind === 'setup' && record.error.message.startsWith('sh -c ')
}
