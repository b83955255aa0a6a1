/** Scores by rubric over the runs of a benchmark: the weighted score and each dimension, one column an arm. */
import type { Benchmark, BenchmarkRun } from '../../../schemas/benchmark.ts'
import type { RubricResult } from '../../../schemas/rubric.ts'
import { armNames, armsOf } from './arms.ts'
import { describe } from './stats/describe.ts'
import { signed } from './stats/round.ts'
import { armLabel } from './words.ts'

/** Rows as long as the header; null: no run was scored. */
export interface RubricTable {
  header: string[]
  rows: string[][]
}

/** Means of 5 over the runs that have the dimension (cases may have rubrics of their own), then how often it passed. */
export function rubricTable(benchmark: Benchmark): RubricTable | null {
  const arms = armsOf(benchmark)
  const names = armNames(arms)
  const results = new Map(names.map((name) => [name, resultsOf(benchmark.runs, name)]))
  const all = names.flatMap((name) => results.get(name) ?? [])
  if (all.length === 0) return null
  const compared = names.length > 1
  const row = (label: string, values: (result: RubricResult) => number[]) => {
    const means = names.map((name) => describe((results.get(name) ?? []).flatMap(values)))
    const [candidate, baseline] = means
    const change = candidate && baseline ? signed(candidate.mean - baseline.mean, 2) : '–'
    const cells = means.map((stats) => (stats === null ? '–' : `${stats.mean.toFixed(2)} ± ${stats.stddev.toFixed(2)}`))
    return [label, ...cells, ...(compared ? [change] : [])]
  }
  const dimensions = [...new Set(all.flatMap((result) => result.dimensions.map(({ name }) => name)))]
  const passes = names.map((name) => results.get(name) ?? []).map((list) => `${count(list)} of ${list.length}`)
  return {
    header: ['of 5', ...names.map(armLabel), ...(compared ? ['difference'] : [])],
    rows: [
      row('weighted score', ({ weighted_score }) => [weighted_score]),
      ...dimensions.map((name) =>
        row(name, (result) => result.dimensions.flatMap((one) => (one.name === name ? one.score : []))),
      ),
      ['passed', ...passes, ...(compared ? [''] : [])],
    ],
  }
}

/** Mean weighted scores as the summary shows them; null: the arm has none. */
export function scoreCell(runs: readonly BenchmarkRun[]): string | null {
  const stats = describe(runs.flatMap(({ rubric }) => rubric?.weighted_score ?? []))
  return stats === null ? null : `${stats.mean.toFixed(2)} ± ${stats.stddev.toFixed(2)}`
}

function resultsOf(runs: readonly BenchmarkRun[], name: string): RubricResult[] {
  return runs.flatMap((run) => (run.configuration === name ? (run.rubric ?? []) : []))
}

function count(results: readonly RubricResult[]): number {
  return results.filter(({ passed }) => passed).length
}
