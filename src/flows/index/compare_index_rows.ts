/** Compares the rows of an index with each other, from their benchmarks on disk. */
import path from 'node:path'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import type { BenchmarkIndex, IndexRow } from '../../../schemas/benchmark_index.ts'
import { readJson } from '../../base/json/json.ts'
import { compareModels } from '../../phases/4-report/index/compare_models.ts'
import { type IndexedBenchmark, indexBenchmark } from '../../phases/4-report/index/indexed_benchmark.ts'
import { markFront } from '../../phases/4-report/index/mark_front.ts'
import { usualOptions } from '../../phases/4-report/stats/statistics_options.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { readPlan } from '../../store/store.ts'

/** With `pairs` and each row's `front`. Rows whose benchmark can't be read take no part. */
export async function compareIndexRows(root: string, made: BenchmarkIndex): Promise<BenchmarkIndex> {
  const { pairs: _, front_axes: __, ...index } = made
  const rows = made.rows.map(({ front: _before, ...row }) => row)
  const isComparable = index.calibrations !== true && index.comparisons !== true
  const read = isComparable && rows.length > 1 ? await readIndexed(root, rows) : []
  const pairs = compareModels(
    read.map(({ one }) => one),
    index.alpha,
  )
  const margin = read[0]?.margin ?? usualOptions.margin
  const front = markFront(
    read.map(({ one }) => one),
    { alpha: index.alpha, margin },
  )
  return {
    ...index,
    rows: rows.map((row) => {
      const mark = front?.marks.get(row)
      return mark === undefined ? row : { ...row, front: mark }
    }),
    ...(pairs.length > 0 && { pairs }),
    ...(front !== null && { front_axes: front.axes }),
  }
}

async function readIndexed(
  root: string,
  rows: readonly IndexRow[],
): Promise<{ one: IndexedBenchmark; margin: number | undefined }[]> {
  const found: { one: IndexedBenchmark; margin: number | undefined }[] = []
  for (const row of rows) {
    if (row.folder === null) continue
    const folder = path.join(root, row.folder)
    const benchmark = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark).catch(() => null)
    if (benchmark === null || benchmark.observational === true) continue
    const plan = await readPlan(folder).catch(() => null)
    found.push({
      one: indexBenchmark(row, benchmark, plan?.suite.sha256 ?? null),
      margin: benchmark.statistics?.margin,
    })
  }
  return found
}
