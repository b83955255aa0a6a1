/** Decides whether a shorter skill is kept: it is not worse by the margin on held-out cases, and a run with it costs less. */
import type { MissingGrades } from '../../../../schemas/benchmark_statistics.ts'
import type { DietCertification } from '../../../../schemas/prune.ts'
import type { PairedCase } from '../../../phases/4-report/acceptance/compare_held_out.ts'
import { checkGuards, estimateAmountRatio, isCertainlyWorse } from '../../../phases/4-report/acceptance/guards.ts'
import { tCdf } from '../../../phases/4-report/stats/distributions/quantiles.ts'
import { sampleMean } from '../../../phases/4-report/stats/numbers/moments.ts'
import { round } from '../../../phases/4-report/stats/numbers/round.ts'
import { missingRunsText } from '../../../phases/4-report/stats/scopes/missing_grades.ts'
import { keepComparable } from '../../../phases/4-report/stats/scores/case_scores.ts'
import { moderatedT } from '../../../phases/4-report/stats/tests/moderated_t.ts'
import { pText } from '../../../phases/4-report/text/format.ts'

/** Of each of the two one-sided tests. Both must pass, so their joint error is no larger (Berger 1982). */
const dietAlpha = 0.05

export interface DietRequest {
  /** The benchmark folder, relative to the workspace. */
  benchmark: string
  /** `candidate`: the shorter skill; `baseline`: the whole one. */
  cases: readonly PairedCase[]
  /** From 0 to 1. */
  margin: number
  /** Runs without a grade that could decide; absent: none. */
  missing?: MissingGrades | undefined
}

/**
 * Kept: the one-sided 95% interval of the difference is above −margin, that of the cost's ratio is below 1, no case is certainly worse, and
 * no runs without a grade could decide otherwise. Cost is in dollars where runs report them, else in tokens.
 */
export function certifyDiet({ benchmark, cases: all, margin, missing }: DietRequest): DietCertification {
  const cases = keepComparable(all)
  const [one, two] = [moderatedT(cases, { alpha: 2 * dietAlpha }), moderatedT(cases, { alpha: dietAlpha })]
  const cost = compareCost(cases)
  const rate = (side: 'candidate' | 'baseline') =>
    cases.length === 0 ? null : round(sampleMean(cases.map((each) => sampleMean(each[side]))), 6)
  const p = one === null ? 1 : tCdf(-(one.mean + margin) / one.standardError, one.df)
  const reason = missing
    ? missingRunsText(missing, ['with the shorter skill', 'with the whole skill'])
    : one === null
      ? 'no held-out case has a grade with both skills'
      : (describeLoss(one.low, margin) ??
        describeCost(cost) ??
        checkGuards(cases, { cost: 0, time: 0, loss: margin }).find(isWorseCase)?.message ??
        null)
  return {
    benchmark,
    result: reason === null ? 'kept_shorter' : 'kept_full',
    reason: reason ?? `a loss of ${toPoints(margin)} points or more is ruled out, ${pText(p)} (one-sided)`,
    ...{ margin, alpha: dietAlpha, full: rate('baseline'), pruned: rate('candidate') },
    difference:
      one === null || two === null
        ? null
        : {
            mean: round(two.mean, 6),
            ci_low: round(two.low, 6),
            ci_high: round(two.high, 6),
            lower_bound: round(one.low, 6),
            p_value: round(p, 6),
          },
    cost,
    n_cases: cases.length,
    n_runs: cases.reduce((sum, { candidate, baseline }) => sum + candidate.length + baseline.length, 0),
    cases: cases.map(({ evalId, candidate, baseline }) => ({
      eval_id: evalId,
      full: round(sampleMean(baseline), 6),
      pruned: round(sampleMean(candidate), 6),
    })),
  }
}

function isWorseCase(guard: Parameters<typeof isCertainlyWorse>[0]): boolean {
  return guard.name === 'cases' && isCertainlyWorse(guard)
}

/** null: not worse by the margin. */
function describeLoss(low: number, margin: number): string | null {
  if (low > -margin) return null
  return `a loss of ${toPoints(-low)} points is not ruled out, and at most ${toPoints(margin)} may be`
}

function compareCost(cases: readonly PairedCase[]): DietCertification['cost'] {
  for (const unit of ['usd', 'tokens'] as const) {
    const found = estimateAmountRatio(cases, unit)
    if (found === null) continue
    return {
      unit,
      ratio: round(found.ratio, 6),
      upper_bound: found.high === null ? null : round(found.high, 6),
    }
  }
  return null
}

/** null: a run with the shorter skill costs less. */
function describeCost(cost: DietCertification['cost']): string | null {
  if (cost === null) return 'neither dollars nor tokens of the runs are known, so a lower cost can not be shown'
  const what = cost.unit === 'usd' ? 'cost' : 'tokens'
  if (cost.upper_bound === null) return `${what}: each held-out case needs two runs of both skills to compare them`
  if (cost.upper_bound < 1) return null
  return `${what} × ${cost.ratio.toFixed(2)}, at most × ${cost.upper_bound.toFixed(2)}: not shown to be lower`
}

function toPoints(share: number): string {
  return String(Number((100 * share).toFixed(1)))
}
