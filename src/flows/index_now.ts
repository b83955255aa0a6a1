/** The index of a folder of workspaces as they are now: its benchmarks, and workspaces that have none. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { type Benchmark, benchmark as benchmarkSchema } from '../../schemas/benchmark.ts'
import { type BenchmarkIndex, benchmarkIndex, type IndexRow } from '../../schemas/benchmark_index.ts'
import { exists } from '../base/files.ts'
import { readJson } from '../base/json.ts'
import { redactorFor } from '../base/redact.ts'
import { slug } from '../phases/1-plan/slug.ts'
import { failedRow, indexRow, inIndexOrder, unbenchedRow, withHolm } from '../phases/4-report/index_row.ts'
import { usualOptions } from '../phases/4-report/stats/options.ts'
import { benchmarkPaths, indexPaths } from '../store/paths.ts'
import { listBenchmarks } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import { refuseTakenIndex } from './free_index.ts'
import { indexRootsAbove } from './index_above.ts'
import { type Measured, measuredIn, writeWorkspacePage } from './page/workspace_page.ts'
import { storeIndex, withBeside } from './write_index.ts'

/**
 * Writes index.json, index.md and index.html anew; the page's path. Each skill has the row of its newest benchmark, each cell of a matrix
 * that of its own. null: the folder (absolute) is no folder of workspaces.
 */
export async function indexNow(folder: string, context: FlowContext): Promise<string | null> {
  const paths = indexPaths(folder)
  if ((await exists(benchmarkPaths(folder).plan)) || (await listBenchmarks(folder)).length > 0) return null
  const isThere = (await exists(paths.index)) && (await exists(paths.page))
  const known = isThere ? await readJson(benchmarkIndex, paths.index).catch(() => null) : null
  // of a form that is not known, or over calibrations: as it is
  if (isThere && (known === null || known.calibrations === true)) return paths.page
  if (known === null && measuredIn(folder) !== null) return null
  const rows = known?.rows ?? []
  const news = await newRows(folder, rows, context)
  if (known === null && news.length === 0) return null
  if (known === null) await refuseTakenIndex(folder)
  const all = [...(await Promise.all(rows.map((row) => presentRow(folder, row)))), ...news]
  const alpha = known?.alpha ?? usualOptions.alpha
  const index: BenchmarkIndex = {
    ...(known ?? { schema_version: 1, judge: null }),
    created_at: context.now().toISOString(),
    alpha,
    rows: withHolm(inIndexOrder(all), alpha),
  }
  await storeIndex(folder, index)
  return paths.page
}

/** Writes each index above anew that has a row of this benchmark folder (absolute). Other rows stay as they are, but for p, which is adjusted for all of them. */
export async function renewIndexAbove(folder: string, benchmark: Benchmark, context: FlowContext): Promise<void> {
  for (const root of indexRootsAbove(folder)) {
    const known = await readJson(benchmarkIndex, indexPaths(root).index).catch(() => null)
    if (known === null) continue
    const place = path.relative(root, folder).replaceAll(path.sep, '/')
    if (!known.rows.some((row) => row.folder === place)) continue
    const rows = known.rows.map((row) => {
      const { skill, cell } = row
      return row.folder === place ? withBeside(root, indexRow({ skill, cell }, benchmark, place)) : row
    })
    const created_at = context.now().toISOString()
    await storeIndex(root, { ...known, created_at, rows: withHolm(inIndexOrder(rows), known.alpha) })
  }
}

/** The row as its benchmark is now, or as a newer one in its place; what can't be read leaves it as it was. */
async function presentRow(root: string, row: IndexRow): Promise<IndexRow> {
  const { skill, cell } = row
  const own = row.folder === null ? [] : [path.join(root, row.folder)]
  if (own.some((folder) => existsSync(folder)) && (await newestOf(own)) === null) return withBeside(root, row)
  const found = await newestOf(cell === null ? await listBenchmarks(path.join(root, workspaceIn(row))) : own)
  if (found === null) return withBeside(root, row)
  const name = { skill: row.folder === null ? found.benchmark.metadata.skill_name : skill, cell }
  return withBeside(root, indexRow(name, found.benchmark, path.relative(root, found.folder).replaceAll(path.sep, '/')))
}

/** The newest of a whole suite, else the newest: cases that were picked because they failed say little of a skill. null: none can be read. */
async function newestOf(folders: readonly string[]): Promise<{ folder: string; benchmark: Benchmark } | null> {
  let newest: { folder: string; benchmark: Benchmark } | null = null
  for (const folder of folders) {
    const benchmark = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark).catch(() => null)
    if (benchmark === null) continue
    newest ??= { folder, benchmark }
    if (benchmark.chosen === undefined) return { folder, benchmark }
  }
  return newest
}

/** The name of its workspace in the folder of the index. */
function workspaceIn({ folder, skill }: IndexRow): string {
  return folder?.split('/')[0] ?? slug(skill)
}

/** Of workspaces below that no row is of. */
async function newRows(folder: string, rows: readonly IndexRow[], context: FlowContext): Promise<IndexRow[]> {
  const covered = new Set(rows.map(workspaceIn))
  const names = (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((one) => one.isDirectory() && !one.name.startsWith('.') && !covered.has(one.name))
    .map(({ name }) => name)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const found: IndexRow[] = []
  // of one skill on several engines: its own workspace too
  for (const name of rows.length > 0 ? ['.', ...names] : names) {
    const row = await rowOf(folder, name, context)
    if (row !== null) found.push(row)
  }
  return found
}

async function rowOf(folder: string, name: string, context: FlowContext): Promise<IndexRow | null> {
  const workspace = path.join(folder, name)
  const [newest] = await listBenchmarks(workspace)
  if (newest !== undefined) return benchedRow(folder, name, newest)
  const measured = measuredIn(workspace)
  return measured === null ? null : unbenched({ folder, name, measured }, context)
}

async function benchedRow(folder: string, name: string, newest: string): Promise<IndexRow> {
  const place = path.relative(folder, newest).replaceAll(path.sep, '/')
  const read = await readJson(benchmarkSchema, benchmarkPaths(newest).benchmark).catch(() => null)
  if (read === null) {
    return failedRow(
      { skill: name, cell: null },
      `${place} holds no benchmark.json that can be read`,
      'whetstone aggregate makes it',
    )
  }
  return withBeside(folder, indexRow({ skill: read.metadata.skill_name, cell: null }, read, place))
}

interface Unbenched {
  folder: string
  name: string
  measured: Measured
}

async function unbenched({ folder, name, measured }: Unbenched, context: FlowContext): Promise<IndexRow> {
  const page = await writeWorkspacePage({ ...measured, redactor: redactorFor(context.env), now: context.now() })
  const report = path.relative(folder, page).replaceAll(path.sep, '/')
  return unbenchedRow({ skill: path.basename(path.join(folder, name)), cell: null }, report, measured.extras)
}
