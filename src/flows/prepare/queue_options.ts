/** What a user requests of a queue. */
import type { QueueAddress } from '../../jobs/queue/address.ts'
import type { Signer } from '../../jobs/queue/sign_jobs.ts'

export interface QueueWish {
  address: QueueAddress
  /** A folder that the coordinator and all workers can access. */
  shared: string
  /** Most runs in the queue at once. */
  atOnce: number
  /** Milliseconds to wait for an unreachable server at startup; 0: do not wait. */
  waitMs: number
  tags: readonly string[]
  signer: Signer | null
  /** Absent: the default. */
  limits?: LimitTiming
}

/** Timing of the notes about an account's limit, in milliseconds. */
export interface LimitTiming {
  /** Interval between unchanged notes. */
  everyMs: number
  /** After this time an unchanged note expires; several times `everyMs`. */
  staleMs: number
}
