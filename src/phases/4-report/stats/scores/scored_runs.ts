/** The runs with their scores: the weighted share of expectations passed, without indicators and diagnostics, by case and arm. */
import type { BenchmarkRun } from '../../../../../schemas/benchmark.ts'
import type { GradedExpectation } from '../../../../../schemas/grading.ts'
import { keepRated, relativeWeights, weightedPassRate } from '../../../../../schemas/pass_rate.ts'
import type { BenchmarkArms } from '../../benchmark/arms.ts'
import { runPassRate } from '../../benchmark/run_pass_rate.ts'
import { sampleMean } from '../numbers/moments.ts'
import type { CaseScores } from './case_scores.ts'
import { classifyIndicator } from './indicators.ts'

export interface ScoredRun {
  run: BenchmarkRun
  /** 0 to 1. */
  share: number
  allPassed: boolean
  /** How many expectations of equal weight would count as much. */
  counted: number
}

export interface ScoredCase extends CaseScores {
  evalId: number
  /** By run number; the same runs as the scores. */
  runs: { candidate: ScoredRun[]; baseline: ScoredRun[] }
}

/** The wording rules apply only if the baseline has no skill, because only then it can't pass an indicator. */
export function rulesApply({ baseline }: BenchmarkArms): boolean {
  return baseline === 'without_skill'
}

/** One entry per case with a scored run, by eval_id. A run whose decided statements are all indicators has no score. */
export function scoredCases(runs: readonly BenchmarkRun[], arms: BenchmarkArms): ScoredCase[] {
  const found = new Map<number, { candidate: ScoredRun[]; baseline: ScoredRun[] }>()
  for (const run of runs) {
    const side = findArmSide(run, arms)
    const scored = side === null ? null : scoredRun(run, rulesApply(arms))
    if (side === null || scored === null) continue
    const own = found.get(run.eval_id) ?? { candidate: [], baseline: [] }
    own[side].push(scored)
    found.set(run.eval_id, own)
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([evalId, { candidate, baseline }]) => {
      const ordered = { candidate: sortScoredRuns(candidate), baseline: sortScoredRuns(baseline) }
      return {
        evalId,
        runs: ordered,
        expectations: sampleMean([...candidate, ...baseline].map(({ counted }) => counted)),
        candidate: ordered.candidate.map(readScoredShare),
        baseline: ordered.baseline.map(readScoredShare),
        ...((hasGap(ordered.candidate) || hasGap(ordered.baseline)) && {
          numbers: { candidate: ordered.candidate.map(readRunNumber), baseline: ordered.baseline.map(readRunNumber) },
        }),
      }
    })
}

export function findArmSide({ configuration }: BenchmarkRun, arms: BenchmarkArms): 'candidate' | 'baseline' | null {
  if (configuration === arms.candidate) return 'candidate'
  return configuration === arms.baseline ? 'baseline' : null
}

function sortScoredRuns(runs: ScoredRun[]): ScoredRun[] {
  return runs.sort((a, b) => a.run.run_number - b.run.run_number)
}

function readScoredShare({ share }: ScoredRun): number {
  return share
}

/** Whether the numbers are not 1, 2, 3, … */
function hasGap(runs: readonly ScoredRun[]): boolean {
  return (runs.at(-1)?.run.run_number ?? 0) !== runs.length
}

function readRunNumber({ run }: ScoredRun): number {
  return run.run_number
}

/** From the verdicts; from the rate alone if another tool kept no list. */
function scoredRun(run: BenchmarkRun, byRule: boolean): ScoredRun | null {
  const { expectations, result } = run
  if (expectations.length === 0) {
    const share = runPassRate(run)
    return { run, share, allPassed: share === 1, counted: Math.max(1, result.total) }
  }
  const score = scoreExpectations(expectations, byRule)
  return score && { run, ...score }
}

/** Without indicators and diagnostics; null: nothing else was decided. */
export function scoreExpectations(
  expectations: readonly GradedExpectation[],
  byRule: boolean,
): Omit<ScoredRun, 'run'> | null {
  const counted = keepCounted(expectations, byRule)
  if (counted.length === 0) return null
  const weights = relativeWeights(counted)
  const sumOf = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0)
  return {
    share: weightedPassRate(counted),
    allPassed: counted.every((one) => one.passed),
    counted: sumOf(weights) ** 2 / sumOf(weights.map((weight) => weight * weight)),
  }
}

/** What enters a score: neither indicators nor diagnostics. */
export function keepCounted(expectations: readonly GradedExpectation[], byRule: boolean): GradedExpectation[] {
  return keepRated(expectations).filter((one) => classifyIndicator(one, byRule) === null)
}
