/** What a coordinator knows while its benchmark's runs are in the queue. */
import type { Plan } from '../../../../schemas/plan.ts'
import type { QueueJob } from '../../../../schemas/queue_job.ts'
import type { Transport } from '../../../jobs/queue/transport.ts'
import type { SharedPaths } from '../../../store/shared/shared_runs.ts'
import type { LimitedBench } from '../../limits/limited_bench.ts'
import type { QueueWish } from '../../prepare/queue_options.ts'
import type { CoordinatorPresence } from './coordinator_presence.ts'
import type { LossCounter } from './lost_jobs.ts'
import type { InputPacker } from './pack_inputs.ts'

export interface RemoteRequest {
  wish: QueueWish
  plan: Plan
  /** The benchmark folder, absolute. */
  folder: string
  sandbox: QueueJob['sandbox']
  idleMs: number | null
  prices?: QueueJob['prices']
  limited: LimitedBench | null
}

export interface InProgressJob {
  id: string
  /** The attempt whose record is known here, and whether its folder was moved into the benchmark; null: none. */
  taken: { attempt: number; isMoved: boolean } | null
  /** A worker still runs it after a request to end: that worker and the next coordinator handle its files. */
  isHeld: boolean
}

export interface CoordinatorContext {
  request: RemoteRequest
  transport: Transport
  packing: InputPacker
  paths: SharedPaths
  benchmark: string
  /** Another coordinator has worked on the benchmark before. */
  isResumed: boolean
  queue: string
  registry: CoordinatorPresence
  losses: LossCounter
  /** The removal of resurrected jobs; null: the server has lost nothing. */
  clearing: Promise<unknown> | null
  /** Submitted jobs of each run, by run id. */
  out: Map<string, InProgressJob[]>
}
