/** Orders runs for a page with limited space: failures and regressions first. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { PageRuns } from '../../../schemas/page.ts'
import { readCaseRows } from '../../phases/4-report/benchmark/case_rows.ts'

export function sortByPriority(runs: PageRuns, benchmark: Benchmark): number[] {
  const deltas = readCaseRows(benchmark).map(({ delta }) => delta ?? 0)
  const concern = runs.case.map((one, index) => {
    if (runs.status[index] !== 'graded') return 3
    if ((deltas[one] ?? 0) < 0) return 2
    return (runs.rate[index] ?? 1) < 1 ? 1 : 0
  })
  return runs.case.map((_one, index) => index).sort((a, b) => (concern[b] ?? 0) - (concern[a] ?? 0) || a - b)
}
