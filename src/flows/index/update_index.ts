/** Updates the index of a folder of workspaces, including workspaces without a benchmark. */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { type BenchmarkIndex, benchmarkIndex, type IndexRow } from '../../../schemas/benchmark_index.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readJson } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import {
  adjustRowsByHolm,
  buildIndexRow,
  failedRow,
  sortIndexRows,
  unbenchedRow,
} from '../../phases/4-report/index/index_row.ts'
import { describeExtras } from '../../phases/4-report/page/workspace_facts.ts'
import { usualOptions } from '../../phases/4-report/stats/statistics_options.ts'
import { benchmarkPaths, indexPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { type MeasuredWorkspace, readMeasuredWorkspace, writeWorkspacePage } from '../page/workspace_page.ts'
import { describeSessions } from './recorded_sessions.ts'
import { storeIndex, withWorkspaceExtras } from './write_index.ts'

/**
 * Rewrites index.json, index.md and index.html; returns the page's path. Each skill, and each cell of a matrix, has the row of its newest
 * benchmark. null: the folder (absolute) has no workspaces.
 */
export async function refreshIndex(folder: string, context: FlowContext): Promise<string | null> {
  const paths = indexPaths(folder)
  if ((await pathExists(benchmarkPaths(folder).plan)) || (await listBenchmarks(folder)).length > 0) return null
  const isThere = (await pathExists(paths.index)) && (await pathExists(paths.page))
  const known = isThere ? await readJson(benchmarkIndex, paths.index).catch(() => null) : null
  // leaves an unknown format, or an index of calibrations, unchanged
  if (isThere && (known === null || known.calibrations === true)) return paths.page
  if (known === null && readMeasuredWorkspace(folder) !== null) return null
  const rows = (known?.rows ?? []).filter(({ status }) => status !== 'unbenched') // those are read again
  const news = await newRows(folder, rows, context)
  if (known === null && news.length === 0) return null
  if (known === null) await refuseTakenIndex(folder)
  const all = [...(await Promise.all(rows.map((row) => presentRow(folder, row)))), ...news]
  const alpha = known?.alpha ?? usualOptions.alpha
  const index: BenchmarkIndex = {
    ...(known ?? { schema_version: 1, judge: null }),
    created_at: context.now().toISOString(),
    alpha,
    rows: adjustRowsByHolm(sortIndexRows(all), alpha),
  }
  await storeIndex(folder, index)
  return paths.page
}

/** Rewrites each index above this benchmark (absolute) that has a row for it. Other rows change only in their adjusted p-values. */
export async function refreshParentIndexes(folder: string, benchmark: Benchmark, context: FlowContext): Promise<void> {
  for (const root of findIndexRoots(folder)) {
    const known = await readJson(benchmarkIndex, indexPaths(root).index).catch(() => null)
    if (known === null) continue
    const place = path.relative(root, folder).replaceAll(path.sep, '/')
    if (!known.rows.some((row) => row.folder === place)) continue
    const rows = known.rows.map((row) => {
      const { skill, cell } = row
      return row.folder === place ? withWorkspaceExtras(root, buildIndexRow({ skill, cell }, benchmark, place)) : row
    })
    const created_at = context.now().toISOString()
    await storeIndex(root, { ...known, created_at, rows: adjustRowsByHolm(sortIndexRows(rows), known.alpha) })
  }
}

/** The folders above a benchmark that contain an index: of its workspace, of workspaces, or of a matrix's engines. */
function findIndexRoots(folder: string): string[] {
  return ['../../..', '../../..', '../../../..']
    .map((up) => path.resolve(folder, up))
    .filter((root) => existsSync(indexPaths(root).index))
}

/** The row of its benchmark's current state, or of a newer one; unreadable ones leave it unchanged. */
async function presentRow(root: string, row: IndexRow): Promise<IndexRow> {
  const { skill, cell } = row
  const own = row.folder === null ? [] : [path.join(root, row.folder)]
  if (own.some((folder) => existsSync(folder)) && (await readNewestReport(own)) === null)
    return withWorkspaceExtras(root, row)
  const found = await readNewestReport(cell === null ? await listBenchmarks(path.join(root, rowWorkspace(row))) : own)
  if (found === null) return withWorkspaceExtras(root, row)
  const name = { skill: row.folder === null ? found.benchmark.metadata.skill_name : skill, cell }
  return withWorkspaceExtras(
    root,
    buildIndexRow(name, found.benchmark, path.relative(root, found.folder).replaceAll(path.sep, '/')),
  )
}

/** The newest of a full suite, else the newest: a subset picked by failures says little about a skill. null: none is readable. */
async function readNewestReport(folders: readonly string[]): Promise<{ folder: string; benchmark: Benchmark } | null> {
  let newest: { folder: string; benchmark: Benchmark } | null = null
  for (const folder of folders) {
    const benchmark = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark).catch(() => null)
    if (benchmark === null) continue
    newest ??= { folder, benchmark }
    if (benchmark.chosen === undefined) return { folder, benchmark }
  }
  return newest
}

/** The name of its workspace in the index's folder. */
function rowWorkspace({ folder, skill }: IndexRow): string {
  return folder?.split('/')[0] ?? slug(skill)
}

/** Rows for workspaces that have none yet. */
async function newRows(folder: string, rows: readonly IndexRow[], context: FlowContext): Promise<IndexRow[]> {
  const covered = new Set(rows.map(rowWorkspace))
  const names = (await readdir(folder, { withFileTypes: true }).catch(() => []))
    .filter((one) => one.isDirectory() && !one.name.startsWith('.') && !covered.has(one.name))
    .map(({ name }) => name)
    .sort((a, b) => a.localeCompare(b, 'en', { numeric: true }))
  const found: IndexRow[] = []
  // one skill on several engines: includes its own workspace
  for (const name of rows.length > 0 ? ['.', ...names] : names) {
    const row = await createIndexRow(folder, name, context)
    if (row !== null) found.push(row)
  }
  return found
}

async function createIndexRow(folder: string, name: string, context: FlowContext): Promise<IndexRow | null> {
  const workspace = path.join(folder, name)
  const [newest] = await listBenchmarks(workspace)
  if (newest !== undefined) return benchedRow(folder, name, newest)
  const measured = readMeasuredWorkspace(workspace)
  const sessions = describeSessions(folder, workspace)
  if (measured !== null) return writeUnbenchedRow({ folder, name, measured, sessions }, context)
  const [own] = sessions
  return own?.report === undefined ? null : unbenchedRow(nameUnbenched(folder, name), own.report, sessions)
}

async function benchedRow(folder: string, name: string, newest: string): Promise<IndexRow> {
  const place = path.relative(folder, newest).replaceAll(path.sep, '/')
  const read = await readJson(benchmarkSchema, benchmarkPaths(newest).benchmark).catch(() => null)
  if (read === null) {
    return failedRow(
      { skill: name, cell: null },
      `${place} does not contain a readable benchmark.json`,
      'run whetstone aggregate to write it',
    )
  }
  return withWorkspaceExtras(folder, buildIndexRow({ skill: read.metadata.skill_name, cell: null }, read, place))
}

interface UnbenchedWorkspace {
  folder: string
  name: string
  measured: MeasuredWorkspace
  sessions: ReturnType<typeof describeSessions>
}

async function writeUnbenchedRow(
  { folder, name, measured, sessions }: UnbenchedWorkspace,
  context: FlowContext,
): Promise<IndexRow> {
  const page = await writeWorkspacePage({ ...measured, redactor: getRedactor(context.env), now: context.now() })
  const report = path.relative(folder, page).replaceAll(path.sep, '/')
  return unbenchedRow(nameUnbenched(folder, name), report, [...describeExtras(measured.extras), ...sessions])
}

function nameUnbenched(folder: string, name: string) {
  return { skill: path.basename(path.join(folder, name)), cell: null }
}

/** `folder`: absolute, without a Whetstone index. Throws UserError if a file with an index's name has another origin. */
async function refuseTakenIndex(folder: string): Promise<void> {
  const { index, markdown, page } = indexPaths(folder)
  for (const [file, sign] of [
    [page, '<title>Skill benchmarks</title>'],
    [markdown, '# Skill benchmarks'],
    [index, null],
  ] as const) {
    const text = await readFile(file, 'utf8').catch(() => null)
    if (text === null || (sign !== null && text.includes(sign))) continue
    throw new UserError(
      `${folder}: can't write an index of its workspaces: ${path.basename(file)} exists and is not from Whetstone`,
      'pass one of the workspaces',
    )
  }
}
