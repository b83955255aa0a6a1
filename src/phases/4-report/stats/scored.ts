/** The runs as the statistics see them: the share of expectations met, indicators left out, by case and arm. */
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { GradedExpectation } from '../../../../schemas/grading.ts'
import type { Arms } from '../arms.ts'
import type { CaseScores } from './case_scores.ts'
import { indicatorOf } from './indicators.ts'
import { meanOf } from './moments.ts'

export interface ScoredRun {
  run: BenchmarkRun
  /** 0 to 1. */
  share: number
  allPassed: boolean
  /** Expectations that count. */
  counted: number
}

export interface ScoredCase extends CaseScores {
  evalId: number
  /** In the order of run numbers; the same runs as the scores. */
  runs: { candidate: ScoredRun[]; baseline: ScoredRun[] }
}

/** Only an arm without any skill cannot meet an indicator. */
export function rulesApply({ baseline }: Arms): boolean {
  return baseline === 'without_skill'
}

/** One entry a case that has a scored run, by eval_id. A run whose every decided statement is an indicator has no score. */
export function scoredCases(runs: readonly BenchmarkRun[], arms: Arms): ScoredCase[] {
  const found = new Map<number, { candidate: ScoredRun[]; baseline: ScoredRun[] }>()
  for (const run of runs) {
    const side = sideOf(run, arms)
    const scored = side === null ? null : scoredRun(run, rulesApply(arms))
    if (side === null || scored === null) continue
    const own = found.get(run.eval_id) ?? { candidate: [], baseline: [] }
    own[side].push(scored)
    found.set(run.eval_id, own)
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([evalId, { candidate, baseline }]) => {
      const ordered = { candidate: inOrder(candidate), baseline: inOrder(baseline) }
      return {
        evalId,
        runs: ordered,
        expectations: meanOf([...candidate, ...baseline].map(({ counted }) => counted)),
        candidate: ordered.candidate.map(shareOf),
        baseline: ordered.baseline.map(shareOf),
        ...((hasGap(ordered.candidate) || hasGap(ordered.baseline)) && {
          numbers: { candidate: ordered.candidate.map(numberOf), baseline: ordered.baseline.map(numberOf) },
        }),
      }
    })
}

export function sideOf({ configuration }: BenchmarkRun, arms: Arms): 'candidate' | 'baseline' | null {
  if (configuration === arms.candidate) return 'candidate'
  return configuration === arms.baseline ? 'baseline' : null
}

function inOrder(runs: ScoredRun[]): ScoredRun[] {
  return runs.sort((a, b) => a.run.run_number - b.run.run_number)
}

function shareOf({ share }: ScoredRun): number {
  return share
}

/** The numbers are not 1, 2, 3, … */
function hasGap(runs: readonly ScoredRun[]): boolean {
  return (runs.at(-1)?.run.run_number ?? 0) !== runs.length
}

function numberOf({ run }: ScoredRun): number {
  return run.run_number
}

/** From the verdicts; from the rate alone where another tool kept no list. */
function scoredRun(run: BenchmarkRun, byRule: boolean): ScoredRun | null {
  const { expectations, result } = run
  if (expectations.length === 0) {
    const share = result.total > 0 ? result.passed / result.total : result.pass_rate
    return { run, share, allPassed: share === 1, counted: Math.max(1, result.total) }
  }
  const score = scoreOf(expectations, byRule)
  return score && { run, ...score }
}

/** Indicators left out; null where nothing else was decided. */
export function scoreOf(expectations: readonly GradedExpectation[], byRule: boolean): Omit<ScoredRun, 'run'> | null {
  const counted = expectations.filter((one) => indicatorOf(one, byRule) === null)
  if (counted.length === 0) return null
  const passed = counted.filter((one) => one.passed).length
  return { share: passed / counted.length, allPassed: passed === counted.length, counted: counted.length }
}
