/** view on evals: finds the requested page, or builds an index of several. */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { type EvalResult, evalResult } from '../../../schemas/eval_result.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { readJson } from '../../base/json/json.ts'
import { listHtml } from '../../phases/4-report/index/index_page.ts'
import { evaluationHeadline } from '../../phases/4-report/page/evaluation.ts'
import { formatPercent } from '../../phases/4-report/text/format.ts'
import { benchmarkPaths, indexPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'

export interface RequestedEvals {
  /** Newest first. */
  all: [string, ...string[]]
  /** The folder of the requested page; null: an index of all. */
  one: string | null
}

/** For a workspace without a benchmark, or its folder evals/; null: something else was requested. */
export async function findRequestedEvals(folder: string): Promise<RequestedEvals | null> {
  const isEvals = path.basename(folder) === 'evals'
  const isOther = existsSync(benchmarkPaths(folder).plan) || (await listBenchmarks(folder)).length > 0
  const [newest, ...others] = isOther ? [] : await listBenchmarks(isEvals ? path.dirname(folder) : folder, 'evals')
  if (newest === undefined) return null
  return { all: [newest, ...others], one: isEvals || others.length > 0 ? null : newest }
}

/** Evals whose missing or outdated pages the index creates; older ones are only listed. */
const mostPages = 50

/** Writes <evals>/index.html, and a page for each of the newest; returns its path. `pageOf` creates one eval's page. */
export async function writeEvalIndex(
  folders: readonly [string, ...string[]],
  pageOf: (folder: string) => Promise<unknown>,
): Promise<string> {
  const rows = []
  const cases: EvalResult['cases'] = []
  for (const [at, folder] of folders.entries()) {
    const file = path.join(folder, 'eval.json')
    const result = await readJson(evalResult, file).catch(() => null)
    const page = benchmarkPaths(folder).report
    if (result !== null && at < mostPages && isOlder(page, file)) await pageOf(folder)
    if (result !== null) cases.push(...result.cases)
    const report = existsSync(page) ? `${path.basename(folder)}/report.html` : null
    rows.push({ report, cells: result === null ? unfinishedRow(folder) : formatEvalCells(folder, result) })
  }
  const { page } = indexPaths(path.dirname(folders[0]))
  const count = (verdict: string) => cases.filter((one) => one.verdict === verdict).length
  const sums = { total: cases.length, passed: count('pass'), failed: count('fail'), skipped: count('skip') }
  const headline = `${folders.length} evals: ${evaluationHeadline({ ...sums, pass_rate: null })}`
  await writeAtomic(page, listHtml({ headline, header, rows }))
  return page
}

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

function unfinishedRow(folder: string): string[] {
  return ['not finished', path.basename(folder), '–', '–', '–', '–', '–', '–']
}

function isOlder(page: string, than: string): boolean {
  return !existsSync(page) || statSync(page).mtimeMs < statSync(than).mtimeMs
}
