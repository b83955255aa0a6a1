/** What each expectation tells apart: its rates in both arms, whether it always or never passes, and which say the same. */
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { StatisticsExpectation } from '../../../../schemas/benchmark_statistics.ts'
import type { Arms } from '../arms.ts'
import { indicatorOf } from './indicators.ts'
import { round } from './round.ts'
import { rulesApply, sideOf } from './scored.ts'

interface Found {
  evalId: number
  text: string
  indicator: StatisticsExpectation['indicator']
  candidate: { passed: number; total: number }
  baseline: { passed: number; total: number }
  /** One number a verdict, from its run, arm and outcome; the runs of a case come in the same order for all its rows. */
  verdicts: number[]
}

/** By case, in the order in which they stand in its runs. */
export function expectationRows(runs: readonly BenchmarkRun[], arms: Arms): StatisticsExpectation[] {
  const found = new Map<number, Map<string, Found>>()
  for (const run of runs) {
    const side = sideOf(run, arms)
    if (side === null) continue
    const own = found.get(run.eval_id) ?? new Map<string, Found>()
    found.set(run.eval_id, own)
    for (const one of run.expectations) {
      const row = own.get(one.text) ?? newRow(run.eval_id, one.text, indicatorOf(one, rulesApply(arms)))
      row[side].total += 1
      if (one.passed) row[side].passed += 1
      row.verdicts.push(4 * run.run_number + (side === 'candidate' ? 2 : 0) + (one.passed ? 1 : 0))
      own.set(one.text, row)
    }
  }
  return [...found].sort(([a], [b]) => a - b).flatMap(([, own]) => rowsOf([...own.values()]))
}

/** Of one case. */
function rowsOf(rows: readonly Found[]): StatisticsExpectation[] {
  const first = new Map<string, string>()
  return rows.map((row) => {
    const pattern = row.verdicts.join(' ')
    const twin = first.get(pattern) ?? null
    if (twin === null) first.set(pattern, row.text)
    return rowOf(row, twin)
  })
}

function newRow(evalId: number, text: string, indicator: Found['indicator']): Found {
  return {
    evalId,
    text,
    indicator,
    candidate: { passed: 0, total: 0 },
    baseline: { passed: 0, total: 0 },
    verdicts: [],
  }
}

/** `twin`: an earlier expectation with the same verdicts. Verdicts that never change say nothing of redundancy. */
function rowOf(row: Found, twin: string | null): StatisticsExpectation {
  const { evalId, text, indicator, candidate, baseline } = row
  const [passed, total] = [candidate.passed + baseline.passed, candidate.total + baseline.total]
  const both = candidate.total > 0 && baseline.total > 0
  const varies = passed > 0 && passed < total
  return {
    eval_id: evalId,
    text,
    indicator,
    candidate,
    baseline,
    discrimination: both ? round(candidate.passed / candidate.total - baseline.passed / baseline.total, 6) : null,
    always_passes: passed === total,
    never_passes: passed === 0,
    redundant_with: varies ? twin : null,
  }
}
