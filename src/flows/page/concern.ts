/** In which order runs come into a page that has no room for all: failures and regressions first. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { PageRuns } from '../../../schemas/page.ts'
import { rowsOf } from '../../phases/4-report/case_rows.ts'

export function byConcern(runs: PageRuns, benchmark: Benchmark): number[] {
  const deltas = rowsOf(benchmark).map(({ delta }) => delta ?? 0)
  const concern = runs.case.map((one, index) => {
    if (runs.status[index] !== 'graded') return 3
    if ((deltas[one] ?? 0) < 0) return 2
    return (runs.rate[index] ?? 1) < 1 ? 1 : 0
  })
  return runs.case.map((_one, index) => index).sort((a, b) => (concern[b] ?? 0) - (concern[a] ?? 0) || a - b)
}
