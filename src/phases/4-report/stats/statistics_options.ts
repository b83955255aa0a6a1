/** The options of the statistics: everything they use besides the runs. */
import type { Noise } from '../../../../schemas/benchmark_statistics.ts'
import type { OlderRuns } from '../../../../schemas/older_runs.ts'
import type { RunLeftOut } from './scopes/missing_grades.ts'
import type { JudgeErrors } from './scores/judge_error.ts'

/** Blocks for adaptive stopping, each with one pair of every case. */
export interface Sequential {
  /** The most blocks. */
  maxRuns: number
  /** Cases that can run: the pairs of a block. */
  cases: number
  /** Blocks whose runs have all ended; runs of later blocks are ignored. */
  finished: number
}

export interface StatisticsOptions {
  /** 1 − the confidence level of every interval; the size of every test. */
  alpha: number
  seed: number
  /** A difference inside ± margin counts as no difference. */
  margin: number
  /** Adaptive stopping (`--until decided`): fixed-size tests are invalid. null: the number of runs is fixed. */
  sequential: Sequential | null
  noise: Noise | null
  /** null: no audit, or one that does not show them. */
  judge: JudgeErrors | null
  /** Whether both configurations ran at the same time; null: all runs were performed for this benchmark. */
  olderRuns: OlderRuns | null
  /** Whether the configurations ran more than an hour apart: then times and prices are not compared. */
  isAnotherHour: boolean
  /** Planned runs that are not in the rates. */
  leftOut: readonly RunLeftOut[]
}

export const usualOptions: StatisticsOptions = {
  alpha: 0.05,
  seed: 1,
  margin: 0.1,
  sequential: null,
  noise: null,
  judge: null,
  olderRuns: null,
  isAnotherHour: false,
  leftOut: [],
}

/**
 * The part of alpha for differences of cases, and for those of expectations. With times, costs and the price they are further claims of a
 * report, which together are wrong in at most 5% (simulated: test/phases/4-report/notes/claims.test.ts).
 */
export const furtherShare = 0.5

/** For the minimum detectable effect, and for the runs or cases that are needed. */
export const usualPower = 0.8
