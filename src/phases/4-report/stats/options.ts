/** What the statistics may be told besides the runs. */
import type { Noise } from '../../../../schemas/benchmark_statistics.ts'
import type { JudgeSample } from './judge_error.ts'

export interface StatisticsOptions {
  /** 1 − the confidence of every interval; the size of every test. */
  alpha: number
  /** Of every draw. */
  seed: number
  /** A difference inside ± margin counts as none. */
  margin: number
  /** The runs were stopped by looks at them (`--until decided`): fixed-size tests would not hold. */
  sequential: boolean
  noise: Noise | null
  judge: JudgeSample | null
}

export const usualOptions: StatisticsOptions = {
  alpha: 0.05,
  seed: 1,
  margin: 0.1,
  sequential: false,
  noise: null,
  judge: null,
}

/** Of the smallest difference that is named, and of the runs or cases that would be needed. */
export const usualPower = 0.8
