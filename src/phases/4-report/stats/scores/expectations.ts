/** What each expectation shows: its rates in both arms, whether it always or never passes, and which others are redundant. */
import type { BenchmarkRun } from '../../../../../schemas/benchmark.ts'
import type { StatisticsExpectation } from '../../../../../schemas/benchmark_statistics.ts'
import type { GradedExpectation } from '../../../../../schemas/grading.ts'
import { verdictScore } from '../../../../../schemas/pass_rate.ts'
import type { BenchmarkArms } from '../../benchmark/arms.ts'
import { exactPValue } from '../distributions/exact_permutation.ts'
import { round, roundPValue } from '../numbers/round.ts'
import { benjaminiHochberg } from '../tests/adjusted_p_values.ts'
import { classifyIndicator } from './indicators.ts'
import { findArmSide, rulesApply } from './scored_runs.ts'

interface ArmTally {
  passed: number
  total: number
  score: number
}

interface ExpectationTally {
  evalId: number
  text: string
  indicator: StatisticsExpectation['indicator']
  isDiagnostic: boolean
  /** Whether a verdict has a score of its own. */
  isScored: boolean
  scores: Set<number>
  candidate: ArmTally
  baseline: ArmTally
  /** One number per verdict, from its run, arm and outcome; all rows of a case list its runs in the same order. */
  verdicts: number[]
}

/** By case, in the order of its runs' lists. */
export function expectationRows(runs: readonly BenchmarkRun[], arms: BenchmarkArms): StatisticsExpectation[] {
  const found = new Map<number, Map<string, ExpectationTally>>()
  for (const run of runs) {
    const side = findArmSide(run, arms)
    if (side === null) continue
    const own = found.get(run.eval_id) ?? new Map<string, ExpectationTally>()
    found.set(run.eval_id, own)
    for (const one of run.expectations) {
      const row = own.get(one.text) ?? newRow(run.eval_id, one, classifyIndicator(one, rulesApply(arms)))
      row[side].total += 1
      row[side].score += verdictScore(one)
      row.scores.add(verdictScore(one))
      row.isScored ||= one.score !== undefined
      if (one.passed) row[side].passed += 1
      row.verdicts.push(4 * run.run_number + (side === 'candidate' ? 2 : 0) + (one.passed ? 1 : 0))
      own.set(one.text, row)
    }
  }
  const rows = [...found].sort(([a], [b]) => a - b).flatMap(([, own]) => toExpectationRows([...own.values()]))
  return addPValues(rows)
}

/** The exact permutation test of each expectation that could differ, adjusted for their number. */
function addPValues(rows: readonly StatisticsExpectation[]): StatisticsExpectation[] {
  const tested = rows.map((row) => testExpectation(row))
  const adjusted = benjaminiHochberg(tested.filter((p) => p !== null))
  let at = 0
  return rows.map((row, index) => {
    const p = tested[index] ?? null
    if (p === null) return row
    at += 1
    return { ...row, p_value: roundPValue(p), p_adjusted: roundPValue(adjusted[at - 1] ?? 1) }
  })
}

function testExpectation(row: StatisticsExpectation): number | null {
  const passed = row.candidate.passed + row.baseline.passed
  const isConstant = passed === 0 || passed === row.candidate.total + row.baseline.total
  if (row.indicator !== null || row.diagnostic === true || row.discrimination === null || isConstant) return null
  const scores = ({ passed, total }: { passed: number; total: number }) =>
    Array.from({ length: total }, (_, at) => (at < passed ? 1 : 0))
  return exactPValue([{ candidate: scores(row.candidate), baseline: scores(row.baseline) }])
}

function toExpectationRows(rows: readonly ExpectationTally[]): StatisticsExpectation[] {
  const first = new Map<string, string>()
  return rows.map((row) => {
    const pattern = row.verdicts.join(' ')
    const twin = first.get(pattern) ?? null
    if (twin === null) first.set(pattern, row.text)
    return toExpectationRow(row, twin)
  })
}

function newRow(
  evalId: number,
  { text, diagnostic }: GradedExpectation,
  indicator: ExpectationTally['indicator'],
): ExpectationTally {
  const [candidate, baseline] = [
    { passed: 0, total: 0, score: 0 },
    { passed: 0, total: 0, score: 0 },
  ]
  const isDiagnostic = diagnostic === true
  return {
    evalId,
    text,
    indicator,
    isDiagnostic,
    isScored: false,
    scores: new Set(),
    candidate,
    baseline,
    verdicts: [],
  }
}

/** `twin`: an earlier expectation with the same verdicts. Verdicts that never change do not show redundancy. */
function toExpectationRow(row: ExpectationTally, twin: string | null): StatisticsExpectation {
  const { evalId, text, indicator, candidate, baseline, isDiagnostic, isScored, scores } = row
  const [passed, total] = [candidate.passed + baseline.passed, candidate.total + baseline.total]
  const both = candidate.total > 0 && baseline.total > 0
  const varies = passed > 0 && passed < total
  const isConstant = scores.size === 1
  return {
    eval_id: evalId,
    text,
    indicator,
    ...(isDiagnostic && { diagnostic: true as const }),
    candidate: toTally(candidate, isScored),
    baseline: toTally(baseline, isScored),
    discrimination: both ? round(candidate.score / candidate.total - baseline.score / baseline.total, 6) : null,
    always_passes: isConstant && passed === total,
    never_passes: isConstant && passed === 0,
    redundant_with: varies ? twin : null,
  }
}

function toTally({ passed, total, score }: ArmTally, isScored: boolean): StatisticsExpectation['candidate'] {
  return { passed, total, ...(isScored && total > 0 && { score: round(score / total, 6) }) }
}
