/** What `watch` is asked for, and what it gives. */
import type { Watch, WatchBaseline } from '../../../schemas/watch.ts'
import type { BenchRequest } from '../../flows/prepare/prepare_bench.ts'

export interface WatchRequest {
  skill: string
  bench: Omit<BenchRequest, 'skill' | 'baseline' | 'cases' | 'runs' | 'cache' | 'fresh' | 'reshape'>
  runsPerNight: number
  /** Per case. */
  baselineRuns: number
  /** The fall that the test is made for, as a share of 1. null: that of the kept watch, else the default. */
  detect: number | null
  /** At most one false alarm is expected in this many nights. null: that of the kept watch, else the default. */
  quietNights: number | null
  /** Replace the baseline, after a known change. */
  rebaseline: boolean
  /** What to do with the last alarm; null: keep it. */
  dismiss: Dismissal | null
}

/** `false`: nothing fell, and all nights count. `fixed`: the level is back, and the nights since it fell count no longer. */
export type Dismissal = 'false' | 'fixed'

export interface WatchResult {
  /** The folder of the watch, absolute. */
  folder: string
  baseline: WatchBaseline
  watch: Watch
  /** The page, absolute. */
  page: string
  /** What this call did. */
  did: 'baseline' | 'night' | 'nothing'
}
