/** What the statistics may be told besides the runs. */
import type { Noise } from '../../../../schemas/benchmark_statistics.ts'
import type { JudgeSample } from './judge_error.ts'

/** Blocks, each one pair of every case. */
export interface Sequential {
  /** Blocks at most. */
  maxRuns: number
  /** Cases that can run: pairs of a block. */
  cases: number
  /** Blocks of which every run has ended; what is made of later ones is not looked at. */
  finished: number
}

export interface StatisticsOptions {
  /** 1 − the confidence of every interval; the size of every test. */
  alpha: number
  /** Of every draw. */
  seed: number
  /** A difference inside ± margin counts as none. */
  margin: number
  /** The runs are stopped by looks at them (`--until decided`): fixed-size tests would not hold. null: their number was fixed. */
  sequential: Sequential | null
  noise: Noise | null
  judge: JudgeSample | null
}

export const usualOptions: StatisticsOptions = {
  alpha: 0.05,
  seed: 1,
  margin: 0.1,
  sequential: null,
  noise: null,
  judge: null,
}

/** Of the smallest difference that is named, and of the runs or cases that would be needed. */
export const usualPower = 0.8
