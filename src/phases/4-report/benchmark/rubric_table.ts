/** Rubric scores over the runs of a benchmark, of cases graded in both configurations: the weighted score and each dimension, one column per configuration. */
import type { Benchmark, BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { RubricResult } from '../../../../schemas/rubric.ts'
import { summarizeValues } from '../stats/numbers/describe.ts'
import { formatSigned } from '../stats/numbers/round.ts'
import { formatConfiguration } from '../text/format.ts'
import { armNames, findArms, keepPairedRuns } from './arms.ts'

/** Rows as long as the header; null: no run was scored. */
export interface RubricTable {
  header: string[]
  rows: string[][]
}

/** Means out of 5 over the runs that have the dimension (cases may have their own rubrics), then how often it passed. */
export function rubricTable(benchmark: Benchmark): RubricTable | null {
  const arms = findArms(benchmark)
  const names = armNames(arms)
  const runs = keepPairedRuns(benchmark, arms)
  const results = new Map(names.map((name) => [name, listRubricResults(runs, name)]))
  const all = names.flatMap((name) => results.get(name) ?? [])
  if (all.length === 0) return null
  const compared = names.length > 1
  const row = (label: string, values: (result: RubricResult) => number[]) => {
    const means = names.map((name) => summarizeValues((results.get(name) ?? []).flatMap(values)))
    const [candidate, baseline] = means
    const change = candidate && baseline ? formatSigned(candidate.mean - baseline.mean, 2) : '–'
    const cells = means.map((stats) => (stats === null ? '–' : `${stats.mean.toFixed(2)} ± ${stats.stddev.toFixed(2)}`))
    return [label, ...cells, ...(compared ? [change] : [])]
  }
  const dimensions = [...new Set(all.flatMap((result) => result.dimensions.map(({ name }) => name)))]
  const passes = names
    .map((name) => results.get(name) ?? [])
    .map((list) => `${list.filter(({ passed }) => passed).length} of ${list.length}`)
  return {
    header: ['of 5', ...names.map(formatConfiguration), ...(compared ? ['difference'] : [])],
    rows: [
      row('weighted score', ({ weighted_score }) => [weighted_score]),
      ...dimensions.map((name) =>
        row(name, (result) => result.dimensions.flatMap((one) => (one.name === name ? one.score : []))),
      ),
      ['passed', ...passes, ...(compared ? [''] : [])],
    ],
  }
}

/** Mean weighted score as the summary shows it; null: the configuration has none. */
export function scoreCell(runs: readonly BenchmarkRun[]): string | null {
  const stats = summarizeValues(runs.flatMap(({ rubric }) => rubric?.weighted_score ?? []))
  return stats === null ? null : `${stats.mean.toFixed(2)} ± ${stats.stddev.toFixed(2)}`
}

function listRubricResults(runs: readonly BenchmarkRun[], name: string): RubricResult[] {
  return runs.flatMap((run) => (run.configuration === name ? (run.rubric ?? []) : []))
}
