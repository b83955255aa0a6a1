/** Corrects the rates of both arms, and their difference, for the judge's errors as people's labels show them. */
import type { ScopeDifference, Statistics } from '../../../../../schemas/benchmark_statistics.ts'
import type { BenchmarkArms } from '../../benchmark/arms.ts'
import { round } from '../numbers/round.ts'
import { keepComparable } from './case_scores.ts'
import { correctDifference } from './corrected_difference.ts'
import { correctRate } from './corrected_rate.ts'
import { findJudgeSample, type JudgeErrors } from './judge_error.ts'
import { measureJudgedParts } from './judged_parts.ts'
import { rulesApply, type ScoredCase } from './scored_runs.ts'

interface Request {
  arms: BenchmarkArms
  /** null: not known. */
  errors: JudgeErrors | null
  alpha: number
  /** On these cases, as the judge gives it; null: there is none. */
  difference: Pick<ScopeDifference, 'mean' | 'ci_low' | 'ci_high'> | null
}

type Side = keyof ScoredCase['runs']

/** An arm is left out, and the difference is null, if the judge is not better than chance. */
export function correctForJudgeErrors(
  cases: readonly ScoredCase[],
  request: Request,
): Pick<Statistics, 'judge' | 'judge_difference'> {
  const { errors, arms, alpha } = request
  if (errors === null) return { judge: null }
  const sides: Side[] = ['candidate', 'baseline']
  const rates = sides.flatMap((side) => {
    const name = arms[side]
    const parts = measureSide(cases, side, arms)
    const found = name === null || parts === null ? null : correctRate(parts, findJudgeSample(errors, name), alpha)
    if (name === null || parts === null || found === null) return []
    const { rate, low, high } = found
    const row = { rate: at(rate), ci_low: at(low), ci_high: at(high), judged_share: at(parts.judged) }
    return [[name, { ...row, method: 'lee' as const }] as const]
  })
  return { judge: Object.fromEntries(rates), judge_difference: correctScopeDifference(cases, errors, request) }
}

function correctScopeDifference(
  cases: readonly ScoredCase[],
  errors: JudgeErrors,
  { arms, alpha, difference }: Request,
): Statistics['judge_difference'] {
  const { mean = null, ci_low: low = null, ci_high: high = null } = difference ?? {}
  const comparable = keepComparable(cases)
  const [candidate, baseline] = [measureSide(comparable, 'candidate', arms), measureSide(comparable, 'baseline', arms)]
  if (mean === null || low === null || high === null || candidate === null || baseline === null) return null
  const names = { candidate: arms.candidate ?? '', baseline: arms.baseline ?? '' }
  const parts = { candidate, baseline }
  const found = correctDifference({ parts, judged: { mean, low, high }, errors, arms: names, alpha })
  if (found === null) return null
  return {
    mean: at(found.mean),
    ci_low: at(found.low),
    ci_high: at(found.high),
    errors: errors.byConfiguration === null ? 'pooled' : 'by_configuration',
  }
}

function measureSide(cases: readonly ScoredCase[], side: Side, arms: BenchmarkArms) {
  const own = cases.map((one) => one.runs[side]).filter((runs) => runs.length > 0)
  return measureJudgedParts(own, rulesApply(arms))
}

function at(value: number): number {
  return round(value, 6)
}
