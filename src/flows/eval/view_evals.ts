/** view on evals: which folder's page is asked for, and an index over several of them. */
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { type EvalResult, evalResult } from '../../../schemas/eval_result.ts'
import { writeAtomic } from '../../base/durable.ts'
import { readJson } from '../../base/json.ts'
import { listHtml } from '../../phases/4-report/index_page.ts'
import { evaluationHeadline } from '../../phases/4-report/page/evaluation.ts'
import { percent } from '../../phases/4-report/words.ts'
import { benchmarkPaths, indexPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'

export interface AskedEvals {
  /** Newest first. */
  all: [string, ...string[]]
  /** The one whose page is meant; null: an index over all. */
  one: string | null
}

/** Of a workspace without a benchmark, or of its folder evals/; null: something else is meant. */
export async function evalsAsked(folder: string): Promise<AskedEvals | null> {
  const isEvals = path.basename(folder) === 'evals'
  const isOther = existsSync(benchmarkPaths(folder).plan) || (await listBenchmarks(folder)).length > 0
  const [newest, ...others] = isOther ? [] : await listBenchmarks(isEvals ? path.dirname(folder) : folder, 'evals')
  if (newest === undefined) return null
  return { all: [newest, ...others], one: isEvals || others.length > 0 ? null : newest }
}

/** Evals whose pages the index makes where they are missing or older than the result; older ones are listed. */
const mostPages = 50

/** Writes <evals>/index.html, with a page for each of the newest; gives its path. `pageOf` makes the page of one. */
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
    rows.push({ report, cells: result === null ? unfinished(folder) : cellsOf(folder, result) })
  }
  const { page } = indexPaths(path.dirname(folders[0]))
  const count = (verdict: string) => cases.filter((one) => one.verdict === verdict).length
  const sums = { total: cases.length, passed: count('pass'), failed: count('fail'), skipped: count('skip') }
  const headline = `${folders.length} evals: ${evaluationHeadline({ ...sums, pass_rate: null })}`
  await writeAtomic(page, listHtml({ headline, header, rows }))
  return page
}

const header = ['what', 'made', 'suite', 'engine, model', 'passed', 'failed', 'skipped', 'pass rate']

function cellsOf(folder: string, { name, format, suite, engine, agent, summary }: EvalResult): string[] {
  const { passed, failed, skipped, pass_rate } = summary
  return [
    ...[name, path.basename(folder), `${path.basename(suite)} (${format})`],
    [engine.name, agent.model].filter((part) => part !== null).join(', '),
    ...[passed, failed, skipped].map(String),
    pass_rate === null ? '–' : percent(pass_rate),
  ]
}

function unfinished(folder: string): string[] {
  return ['not finished', path.basename(folder), '–', '–', '–', '–', '–', '–']
}

function isOlder(page: string, than: string): boolean {
  return !existsSync(page) || statSync(page).mtimeMs < statSync(than).mtimeMs
}
