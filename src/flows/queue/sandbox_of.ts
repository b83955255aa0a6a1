/** The sandbox of a job on a worker: the stricter of what the worker keeps to and what the benchmark asks. */
import type { QueueJob } from '../../../schemas/queue_job.ts'
import type { SandboxMode, SandboxWish } from '../../base/sandbox/choose.ts'

const strictness = { off: 0, auto: 1, required: 2 } satisfies Record<SandboxMode, number>

/** A benchmark can ask for more than the worker would, never for less; the network is the benchmark's to say unless the worker closes it. */
export function strictest(own: SandboxWish, asked: QueueJob['sandbox']): SandboxWish {
  const mode = strictness[asked.mode] > strictness[own.mode] ? asked.mode : own.mode
  return { mode, network: own.network ?? asked.network, readable: own.readable }
}
