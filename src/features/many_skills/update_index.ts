/** Updates the index of a folder of workspaces, including workspaces without a benchmark, and the list of several evals. */
import { existsSync, statSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { type BenchmarkIndex, benchmarkIndex, type IndexRow } from '../../../schemas/benchmark_index.ts'
import { type EvalResult, evalResult } from '../../../schemas/eval_result.ts'
import { UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'
import { readJson } from '../../base/json/json.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { makeVisible } from '../../base/text/show_control_characters.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import type { IndexSteps } from '../../flows/index_steps.ts'
import { readMeasuredWorkspace, writeWorkspacePage } from '../../flows/page/workspace_page.ts'
import { slug } from '../../phases/1-plan/skill/slug.ts'
import { evaluationHeadline } from '../../phases/4-report/page/build_page.ts'
import { tablesHtml } from '../../phases/4-report/page/tables_page.ts'
import { describeExtras } from '../../phases/4-report/page/workspace_facts.ts'
import { usualOptions } from '../../phases/4-report/stats/statistics_options.ts'
import { formatPercent } from '../../phases/4-report/text/format.ts'
import { benchmarkPaths, indexPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'
import { adjustRowsByHolm, buildIndexRow, failedRow, sortIndexRows, unbenchedRow } from './index_row.ts'
import { describeSessions, storeIndex, withWorkspaceExtras } from './write_index.ts'

/**
 * Rewrites index.json, index.md and index.html; returns the page's path. Each skill, and each cell of a matrix, has the row of its newest
 * benchmark. null: the folder (absolute) has no workspaces.
 */
async function refreshIndex(folder: string, context: FlowContext): Promise<string | null> {
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
async function refreshParentIndexes(folder: string, benchmark: Benchmark, context: FlowContext): Promise<void> {
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
  return ['../..', '../../..', '../../../..']
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

function rowWorkspace({ folder, skill }: IndexRow): string {
  return folder?.split('/')[0] ?? slug(skill)
}

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
  if (measured !== null) {
    const page = await writeWorkspacePage({ ...measured, redactor: getRedactor(context.env), now: context.now() })
    const report = path.relative(folder, page).replaceAll(path.sep, '/')
    return unbenchedRow(nameUnbenched(folder, name), report, [...describeExtras(measured.extras), ...sessions])
  }
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

/** Evals whose missing or outdated pages the index creates; older ones are only listed. */
const mostPages = 50

/** Writes <evals>/index.html, and a page for each of the newest; returns its path. `pageOf` creates one eval's page. */
async function writeEvalIndex(
  folders: readonly [string, ...string[]],
  pageOf: (folder: string) => Promise<unknown>,
): Promise<string> {
  const rows: string[][] = []
  const links: (string | null)[] = []
  const cases: EvalResult['cases'] = []
  for (const [at, folder] of folders.entries()) {
    const file = path.join(folder, 'eval.json')
    const result = await readJson(evalResult, file).catch(() => null)
    const page = benchmarkPaths(folder).report
    if (result !== null && at < mostPages && (!existsSync(page) || statSync(page).mtimeMs < statSync(file).mtimeMs))
      await pageOf(folder)
    if (result !== null) cases.push(...result.cases)
    links.push(existsSync(page) ? `${encodeURIComponent(path.basename(folder))}/report.html` : null)
    rows.push((result === null ? unfinished(folder) : formatEvalCells(folder, result)).map(makeVisible))
  }
  const { page } = indexPaths(path.dirname(folders[0]))
  const count = (verdict: string) => cases.filter((one) => one.verdict === verdict).length
  const sums = { total: cases.length, passed: count('pass'), failed: count('fail'), skipped: count('skip') }
  const headline = `${folders.length} evals: ${evaluationHeadline({ ...sums, pass_rate: null })}`
  const section = { title: 'Side by side', header, rows, links }
  await writeAtomic(page, tablesHtml({ title: 'Evals', headline, sections: [section] }))
  return page
}

const unfinished = (folder: string) => ['not finished', path.basename(folder), ...header.slice(2).map(() => '–')]

const header = ['what', 'made', 'suite', 'engine, model', 'passed', 'failed', 'skipped', 'pass rate']

function formatEvalCells(folder: string, { name, format, suite, engine, agent, summary }: EvalResult): string[] {
  const { passed, failed, skipped, pass_rate } = summary
  return [
    ...[name, path.basename(folder), `${path.basename(suite)} (${format})`],
    [engine.name, agent.model].filter((part) => part !== null).join(', '),
    ...[passed, failed, skipped].map(String),
    pass_rate === null ? '–' : formatPercent(pass_rate),
  ]
}

export const indexSteps: IndexSteps = { refreshIndex, refreshParentIndexes, writeEvalIndex }
