/** Chooses the sandbox of a job: the stricter of the worker's and the benchmark's. */
import type { QueueJob } from '../../../../schemas/queue_job.ts'
import type { SandboxMode, SandboxWish } from '../../../base/sandbox/choose.ts'

const strictness = { off: 0, auto: 1, required: 2 } satisfies Record<SandboxMode, number>

/** A benchmark can only ask for a stricter mode. It decides on the network unless the worker does. */
export function chooseStricterSandbox(own: SandboxWish, asked: QueueJob['sandbox']): SandboxWish {
  const mode = strictness[asked.mode] > strictness[own.mode] ? asked.mode : own.mode
  const { anyVariable, network, readable } = own
  return { mode, network: network ?? asked.network, readable, ...(anyVariable && { anyVariable }) }
}
