/** Writes index.json, index.md and index.html for several benchmarks. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { type BenchmarkIndex, benchmarkIndex, type IndexPair, type IndexRow } from '../../../schemas/benchmark_index.ts'
import { errorMessage, IncompleteError, UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { readJson } from '../../base/json/json.ts'
import { isTooSmall } from '../../base/smallest_design.ts'
import { auditWorkspace } from '../../flows/labels/judge_decisions.ts'
import { readWorkspaceExtras } from '../../flows/page/data/workspace.ts'
import { describeExtras } from '../../phases/4-report/page/workspace_facts.ts'
import { tCdf, tQuantile } from '../../phases/4-report/stats/distributions/quantiles.ts'
import { round, roundPValue } from '../../phases/4-report/stats/numbers/round.ts'
import { type CaseScores, keepComparable } from '../../phases/4-report/stats/scores/case_scores.ts'
import { usualOptions } from '../../phases/4-report/stats/statistics_options.ts'
import { holm } from '../../phases/4-report/stats/tests/adjusted_p_values.ts'
import { type ModeratedT, moderatedT } from '../../phases/4-report/stats/tests/moderated_t.ts'
import { benchmarkHeadline } from '../../phases/4-report/text/headline.ts'
import { tryReadArtefact } from '../../store/artefacts/damage.ts'
import { benchmarkPaths, collectionFolder, indexPaths, isTimestampName } from '../../store/paths.ts'
import { readPlan, writeArtefact } from '../../store/store.ts'
import { indexHtml, indexMarkdown } from './index_page.ts'
import { adjustRowsByHolm, buildIndexRow, failedRow, sortIndexRows } from './index_row.ts'
import { explainApart, type IndexedBenchmark, indexBenchmark, markFront, pairIndexedCases } from './mark_front.ts'

export type BenchOutcome =
  | { status: 'benched'; skill: string; cell: string | null; result: { folder: string; benchmark: Benchmark } }
  | { status: 'failed'; skill: string; cell: string | null; error: unknown }

export interface IndexRequest {
  ends: readonly BenchOutcome[]
  judge: string | null
  now: Date
  calibrations?: boolean
  /** Each cell is a pair of configurations. */
  comparisons?: boolean
}

export async function writeIndex(
  root: string,
  { ends, judge, now, calibrations = false, comparisons = false }: IndexRequest,
): Promise<BenchmarkIndex> {
  const { alpha } = usualOptions
  const rows = adjustRowsByHolm(sortIndexRows(ends.map((end) => toIndexRow(root, end))), alpha)
  const created_at = now.toISOString()
  const index: BenchmarkIndex = {
    schema_version: 1,
    created_at,
    judge,
    ...(calibrations && { calibrations }),
    ...(comparisons && { comparisons }),
    alpha,
    rows,
  }
  return await storeIndex(root, index)
}

export async function storeIndex(root: string, made: BenchmarkIndex): Promise<BenchmarkIndex> {
  const paths = indexPaths(root)
  const index = await compareIndexRows(root, made)
  await writeArtefact(benchmarkIndex, paths.index, index)
  await writeAtomic(paths.markdown, indexMarkdown(index))
  await writeAtomic(paths.page, indexHtml(index))
  return index
}

export function withWorkspaceExtras(root: string, { beside: _before, ...row }: IndexRow): IndexRow {
  if (row.folder === null) return row
  const workspace = auditWorkspace(path.join(root, row.folder))
  const beside = [...describeExtras(readWorkspaceExtras(workspace)), ...describeSessions(root, workspace)]
  return beside.length === 0 ? row : { ...row, beside }
}

function toIndexRow(root: string, end: BenchOutcome) {
  const { skill, cell } = end
  switch (end.status) {
    case 'benched': {
      const folder = path.relative(root, end.result.folder).replaceAll(path.sep, '/')
      return withWorkspaceExtras(root, buildIndexRow({ skill, cell }, end.result.benchmark, folder))
    }
    case 'failed': {
      const { error } = end
      const fix = error instanceof UserError || error instanceof IncompleteError ? error.fix : null
      return failedRow({ skill, cell }, errorMessage(error), fix)
    }
  }
}

/** With `pairs` and each row's `front`. Rows whose benchmark can't be read take no part. */
async function compareIndexRows(root: string, made: BenchmarkIndex): Promise<BenchmarkIndex> {
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

/** Empty: no two rows are of one skill on different engines or models. */
export function compareModels(benchmarks: readonly IndexedBenchmark[], alpha: number): IndexPair[] {
  const pairs = benchmarks.flatMap((first, at) =>
    benchmarks
      .slice(at + 1)
      .flatMap((second) =>
        first.row.cell !== null && second.row.cell !== null && first.row.skill === second.row.skill
          ? comparePair(first, second, alpha)
          : [],
      ),
  )
  return adjustPairs(adjustPairs(pairs, 'with_skill'), 'lift')
}

type Difference = NonNullable<IndexPair['lift']>

function comparePair(first: IndexedBenchmark, second: IndexedBenchmark, alpha: number): IndexPair {
  const name = { skill: first.row.skill, first: first.row.cell ?? '', second: second.row.cell ?? '' }
  const nothing = { ...name, with_skill: null, lift: null }
  const apart = first.suite === second.suite ? explainApart(first, second) : 'different versions of the suite'
  const both = pairIndexedCases(first, second)
  const scores = keepComparable(
    both.map(
      ([own, other]): CaseScores => ({
        candidate: own.candidate,
        baseline: other.candidate,
        expectations: own.expectations ?? 1,
      }),
    ),
  )
  const n_cases = scores.length
  if (apart !== null) return { ...nothing, n_cases, reason: apart }
  const found = moderatedT(scores, { alpha })
  if (found === null) return { ...nothing, n_cases, reason: 'no case was graded with the skill in both' }
  if (isTooSmall(scores, alpha)) return { ...nothing, n_cases, reason: 'too few runs for any significant difference' }
  const lift = compareLifts(both, alpha)
  const reason = lift === null ? 'no case was graded with and without the skill in both' : null
  return { ...name, n_cases, with_skill: toDifference(found), lift, reason }
}

/** The difference of two independent differences, on the cases with all four configurations. */
function compareLifts(both: readonly [CaseScores, CaseScores][], alpha: number): Difference | null {
  const whole = both.filter((pair) => keepComparable(pair).length === 2)
  const [own, other] = [0, 1].map((side) =>
    moderatedT(
      whole.map((pair) => pair[side] ?? { candidate: [], baseline: [] }),
      { alpha },
    ),
  )
  return own && other ? toDifference(subtractMeans(own, other, alpha)) : null
}

function subtractMeans(own: ModeratedT, other: ModeratedT, alpha: number): ModeratedT {
  const mean = own.mean - other.mean
  const parts = [own, other].map(({ standardError, df }) => ({ variance: standardError ** 2, df }))
  const variance = parts.reduce((sum, part) => sum + part.variance, 0)
  const df = variance ** 2 / parts.reduce((sum, part) => sum + part.variance ** 2 / part.df, 0)
  const standardError = Math.sqrt(variance)
  const correction = Math.max(own.correction, other.correction)
  const half = tQuantile(1 - alpha / 2, df) * standardError + correction
  const distance = Math.abs(mean) - correction
  const pValue = distance <= 0 ? 1 : 2 * tCdf(-distance / standardError, df)
  return { mean, standardError, df, pValue, correction, low: mean - half, high: mean + half }
}

function toDifference({ mean, low, high, pValue }: ModeratedT): Difference {
  return {
    mean: round(mean, 6),
    ci_low: round(low, 6),
    ci_high: round(high, 6),
    p_value: roundPValue(pValue),
    p_adjusted: 1,
  }
}

function adjustPairs(pairs: readonly IndexPair[], what: 'with_skill' | 'lift'): IndexPair[] {
  const adjusted = holm(pairs.flatMap((pair) => pair[what]?.p_value ?? []))
  let place = 0
  return pairs.map((pair) => {
    const found = pair[what]
    return found === null ? pair : { ...pair, [what]: { ...found, p_adjusted: roundPValue(adjusted[place++] ?? 1) } }
  })
}

/** The newest sessions that were graded in a workspace, with their report; empty: none. Both folders absolute. */
export function describeSessions(root: string, workspace: string): NonNullable<IndexRow['beside']> {
  const folder = collectionFolder(workspace, 'recorded')
  const names = existsSync(folder) ? readdirSync(folder).filter(isTimestampName) : []
  for (const name of names.sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))) {
    const paths = benchmarkPaths(path.join(folder, name))
    const found = tryReadArtefact(benchmarkSchema, paths.benchmark, () => {})
    if (found === null) continue
    const report = path.relative(root, paths.report).replaceAll(path.sep, '/')
    return [{ tab: 'sessions', text: `Recorded sessions: ${benchmarkHeadline(found)}`, report }]
  }
  return []
}
