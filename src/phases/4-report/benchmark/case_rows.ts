/** The table of cases: each with its configurations in columns. */
import type { Benchmark, BenchmarkRun, CaseRow } from '../../../../schemas/benchmark.ts'
import { summarizeValues } from '../stats/numbers/describe.ts'
import { round } from '../stats/numbers/round.ts'
import type { ReportCase } from './aggregate_input.ts'
import { armNames, type BenchmarkArms, findArms } from './arms.ts'
import { runPassRate } from './run_pass_rate.ts'

/** The table of a benchmark; built from the runs if another tool wrote no table. */
export function readCaseRows(benchmark: Benchmark): CaseRow[] {
  if (benchmark.cases !== undefined) return benchmark.cases
  const names = new Map(benchmark.runs.map((run) => [run.eval_id, run.eval_name]))
  const cases = [...names].map(([eval_id, eval_name]) => ({ eval_id, eval_name, eval_key: null, cannot_run: null }))
  return buildCaseRows(cases, benchmark.runs, findArms(benchmark))
}

/** One row per case, by eval_id. */
export function buildCaseRows(
  cases: readonly ReportCase[],
  runs: readonly BenchmarkRun[],
  arms: BenchmarkArms,
): CaseRow[] {
  const byCase = new Map<number, BenchmarkRun[]>(cases.map((one) => [one.eval_id, []]))
  for (const run of runs) byCase.get(run.eval_id)?.push(run)
  return [...cases]
    .sort((a, b) => a.eval_id - b.eval_id)
    .map((one) => {
      const own = byCase.get(one.eval_id) ?? []
      const cells = armNames(arms).map(
        (name) => [name, armCell(own.filter((run) => run.configuration === name))] as const,
      )
      const [candidate, baseline] = cells.map(([, cell]) => cell.pass_rate)
      return {
        eval_id: one.eval_id,
        eval_key: one.eval_key,
        eval_name: one.eval_name,
        ...(one.owners && { owners: one.owners }),
        ...(one.quarantine !== undefined && { quarantine: one.quarantine }),
        arms: Object.fromEntries(cells),
        delta: candidate && baseline ? round(candidate.mean - baseline.mean, 4) : null,
      }
    })
}

function armCell(runs: readonly BenchmarkRun[]): CaseRow['arms'][string] {
  return {
    runs: runs.length,
    pass_rate: summarizeValues(runs.map(runPassRate)),
    time_seconds: summarizeValues(runs.flatMap((run) => run.result.time_seconds ?? [])),
    tokens: summarizeValues(runs.flatMap((run) => run.result.tokens ?? [])),
    all_passed: runs.filter((run) =>
      run.result.total === 0 ? run.result.pass_rate === 1 : run.result.passed === run.result.total,
    ).length,
  }
}
