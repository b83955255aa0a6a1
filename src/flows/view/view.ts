/** view: rewrites the page of a folder from the gradings on disk: a benchmark, a workspace, another tool's folder. */
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { PageNote } from '../../../schemas/page.ts'
import { type Trend, trend as trendSchema } from '../../../schemas/trend.ts'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { readNames } from '../../base/fs/tree_size.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import type { ComparedBenchmarks, SideLetter } from '../../phases/4-report/page/merge_benchmarks.ts'
import { mergeBenchmarks } from '../../phases/4-report/page/merge_benchmarks.ts'
import { trendHtml } from '../../phases/4-report/trend/trend_page.ts'
import { trendMarkdown } from '../../phases/4-report/trend/trend_text.ts'
import { rankPaths, trendPaths } from '../../store/paths.ts'
import { runFolderKey } from '../../store/run_folders.ts'
import { listBenchmarks, writeArtefact } from '../../store/store.ts'
import { aggregateAgain } from '../aggregate/aggregate.ts'
import type { FlowContext } from '../flow_context.ts'
import { loadIndexSteps } from '../index_steps.ts'
import { readFeedbackNotes } from '../page/data/notes.ts'
import { writeWorkspacePage } from '../page/workspace_page.ts'
import { writePage } from '../page/write_page.ts'
import type { BenchmarkContents } from '../report/read_benchmark.ts'
import { findLoneMeasurement, loadBenchmark, resolveBenchmarkFolder } from '../report/read_benchmark.ts'
import { explainWriteErrors } from '../report/report_folder.ts'
import type { SummarizedBenchmark } from '../report/summarize.ts'
import { readTrend } from '../trend/trend.ts'
import { findRequestedEvals, resolveWorkspace } from '../workspace/resolve_workspace.ts'

export interface ViewRequest {
  /** A benchmark, rank or watch, a workspace (its newest benchmark), a folder of workspaces or above `workspaces/`, or another tool's folder. */
  folder: string
  /** A folder that gets a copy of the page as index.html; null: none. */
  copyTo: string | null
  /** Put as much as fits into the page, without data files. */
  singleFile: boolean
  /** Show all benchmarks below the folder over time. */
  trend: boolean
  /** Another one to compare with; null: none. */
  against: string | null
}

export interface ViewResult {
  /** The page to open, absolute. */
  page: string
  /** null: the page shows no single benchmark, but an index, a trend, a comparison or a measurement. */
  summarized: SummarizedBenchmark | null
  trend?: Trend
}

/** Writes the page. Throws UserError where there is nothing to show. */
export async function view(request: ViewRequest, context: FlowContext): Promise<ViewResult> {
  const viewed = await explainWriteErrors(request.folder, () => writeView(request, context))
  if (request.copyTo === null) return viewed
  return { ...viewed, page: await publishPage(viewed.page, request.copyTo, !request.singleFile) }
}

async function writeView(request: ViewRequest, context: FlowContext): Promise<ViewResult> {
  const { folder: given, against, singleFile } = request
  if (against !== null) return { page: await viewTwo({ a: given, b: against, singleFile }, context), summarized: null }
  const folder = await resolveWorkspace(path.resolve(given))
  const isTrend = request.trend || (await isFolderOfBenchmarks(folder))
  const viewed = isTrend ? await writeTrend(folder, context) : await writeFolderPage(folder, request, context)
  if (singleFile && viewed.summarized !== null) await writeSingle(viewed.page, viewed.summarized, context)
  return viewed
}

async function writeSingle(report: string, made: SummarizedBenchmark, context: FlowContext): Promise<void> {
  const { folder, benchmark, folders, prompts } = made
  const redactor = getRedactor(context.env)
  await writePage({ folder, report, benchmark, prompts, folders, redactor, singleFile: true })
}

/** `<workspace>/benchmarks` or another collection: Whetstone folders named by their time. */
async function isFolderOfBenchmarks(folder: string): Promise<boolean> {
  const [newest] = await listBenchmarks(path.dirname(folder))
  return newest !== undefined && path.dirname(newest) === folder
}

async function writeTrend(folder: string, context: FlowContext): Promise<ViewResult> {
  const trend = await readTrend([folder], context.env)
  const paths = trendPaths(folder)
  await writeArtefact(trendSchema, paths.trend, trend)
  await writeAtomic(paths.markdown, trendMarkdown(trend))
  await writeAtomic(paths.page, trendHtml(trend))
  return { page: paths.page, summarized: null, trend }
}

async function writeFolderPage(folder: string, request: ViewRequest, context: FlowContext): Promise<ViewResult> {
  const { folder: given, singleFile } = request
  const written = await findWrittenPage(folder)
  if (written !== null) return { page: written, summarized: null }
  const index = await loadIndexSteps()
  const indexPage = (await index?.refreshIndex(folder, context)) ?? null
  if (indexPage !== null) return { page: indexPage, summarized: null }
  const evals = await findRequestedEvals(folder)
  if (evals?.one === null && index !== null) {
    const page = await index.writeEvalIndex(evals.all, (one) =>
      aggregateAgain({ ...defaultAggregateRequest, folder: one }, context),
    )
    return { page, summarized: null }
  }
  const measured = await findLoneMeasurement(folder)
  if (evals === null && measured !== null) {
    const redactor = getRedactor(context.env)
    const page = await writeWorkspacePage({ ...measured, redactor, now: context.now(), singleFile })
    return { page, summarized: null }
  }
  const [newestEval] = evals?.all ?? []
  const shown = evals?.one ?? newestEval ?? (await resolveBenchmarkFolder(given))
  const asked = { ...defaultAggregateRequest, folder: shown }
  const summarized = await aggregateAgain(asked, context)
  return { page: summarized.paths.report, summarized }
}

const defaultAggregateRequest = { candidate: null, baseline: null, force: false, agentskills: null }

/**
 * The page of the rank or the watch in a folder; of a workspace without a benchmark, that of its newest rank, else of a watch. Both
 * absolute; null: there is none.
 */
async function findWrittenPage(folder: string): Promise<string | null> {
  const own = findPage(folder)
  if (own !== null) return own
  const [newest] = await listBenchmarks(folder)
  if (newest !== undefined) return null
  const below = ['ranks', 'watch'].flatMap((kind) =>
    readNames(path.join(folder, kind))
      .sort()
      .reverse()
      .map((name) => findPage(path.join(folder, kind, name))),
  )
  return below.find((page) => page !== null) ?? null
}

function findPage(folder: string): string | null {
  const { rank, page } = rankPaths(folder)
  const pairs = [
    [rank, page],
    [path.join(folder, 'watch.json'), path.join(folder, 'watch.html')],
  ] as const
  return pairs.find(([data, shown]) => existsSync(data) && existsSync(shown))?.[1] ?? null
}

/** view --compare: shows two benchmarks on one page, case by case and run by run. */
interface TwoRequest {
  /** Each as in view: a workspace (its newest benchmark), a benchmark, another tool's folder. */
  a: string
  b: string
  singleFile: boolean
}

/** Writes comparisons/<a>-vs-<b>/report.html in the working directory; returns its path, absolute. Changes neither benchmark. */
async function viewTwo({ a, b, singleFile }: TwoRequest, context: FlowContext): Promise<string> {
  const folders = { A: await resolveBenchmarkFolder(a), B: await resolveBenchmarkFolder(b) }
  if (folders.A === folders.B) {
    throw new UserError(`${a} and ${b} are the same benchmark`, 'pass two different ones')
  }
  const found = { A: await loadBenchmark(folders.A, context), B: await loadBenchmark(folders.B, context) }
  const made = mergeBenchmarks(
    { ...found.A, name: displayFolder(folders.A) },
    { ...found.B, name: displayFolder(folders.B) },
  )
  if (made === null) throw new UserError(`${a} and ${b}: one of them has no configuration to compare`)
  const folder = path.resolve('comparisons', `${path.basename(folders.A)}-vs-${path.basename(folders.B)}`)
  const report = path.join(folder, 'report.html')
  const redactor = getRedactor(context.env)
  const places = locateRuns(found, made)
  await writePage({
    folder,
    report,
    benchmark: made.benchmark,
    prompts: { cases: letters.flatMap((letter) => listLetterPrompts(letter, found[letter], made)) },
    folders: places,
    roots: letters.map((letter) => folders[letter]),
    redactor,
    files: new Map(
      letters.flatMap((letter) => [...found[letter].files].map(([id, files]) => [made.caseOf(letter, id), files])),
    ),
    singleFile,
    compared: {
      feedback: letters.flatMap((letter) => translateNotes(found[letter], folder)),
      compared: { two: redactor.value(made.two), said: made.said },
    },
  })
  return report
}

/** B overrides A where both have a value. */
const letters: readonly SideLetter[] = ['A', 'B']

function displayFolder(folder: string): string {
  return path.relative(process.cwd(), folder) || folder
}

function listLetterPrompts(letter: SideLetter, { prompts }: BenchmarkContents, { caseOf }: ComparedBenchmarks) {
  return prompts.cases.map(({ eval_id, prompt }) => ({ eval_id: caseOf(letter, eval_id), prompt }))
}

function locateRuns(found: Record<SideLetter, BenchmarkContents>, { placed }: ComparedBenchmarks): Map<string, string> {
  const all = letters.flatMap((letter) => {
    const { benchmark, folders } = found[letter]
    return [...benchmark.runs, ...(benchmark.excluded_runs ?? [])].flatMap((run) => {
      const own = folders.get(runFolderKey(run))
      return own === undefined ? [] : [[runFolderKey(placed(letter, run)), own] as const]
    })
  })
  return new Map(all)
}

/** Renames notes: their name is the path of the run's or case's folder from the page, with - for /. */
function translateNotes({ folder, folders, benchmark }: BenchmarkContents, page: string): PageNote[] {
  const name = (from: string, run: string) => path.relative(from, run).split(path.sep).join('-')
  const places = [...benchmark.runs, ...(benchmark.excluded_runs ?? [])].flatMap((run) => {
    const own = folders.get(runFolderKey(run))
    const at = own?.lastIndexOf(`${path.sep}${run.configuration}`) ?? -1
    return own === undefined ? [] : at < 0 ? [own] : [own, own.slice(0, at)]
  })
  const names = new Map(places.map((place) => [name(folder, place), name(page, place)]))
  return readFeedbackNotes(path.join(folder, 'feedback.json')).reviews.flatMap((note) => {
    const run_id = names.get(note.run_id)
    return run_id === undefined ? [] : { ...note, run_id }
  })
}

/** `withData`: also copy the page's data files. Returns the copy's path, absolute. Throws UserError where nothing can be written. */
async function publishPage(page: string, to: string, withData: boolean): Promise<string> {
  const copy = path.join(path.resolve(to), 'index.html')
  try {
    await copyPage(page, copy, withData)
    for (const name of isPage(page) ? [] : await listLinkedPages(page)) {
      const source = findOwnFile(path.dirname(page), name)
      if (source !== null) await copyPage(source, path.join(path.dirname(copy), name), true)
    }
  } catch (error) {
    throw new UserError(`--static ${to}: ${errorMessage(error)}`, 'choose a folder that you may write to')
  }
  return copy
}

/** True for pages of runs, which have data files; false for an index or a trend. */
function isPage(file: string): boolean {
  return path.basename(file).endsWith('report.html')
}

async function copyPage(page: string, copy: string, withData: boolean): Promise<void> {
  await mkdir(path.dirname(copy), { recursive: true })
  await copyFile(page, copy)
  const data = path.join(path.dirname(page), 'report.data')
  if (!withData || !isPage(page) || !(await pathExists(data))) return
  await cp(data, path.join(path.dirname(copy), 'report.data'), { recursive: true })
}

/** The pages that a Whetstone index links to, without links into their tabs. */
async function listLinkedPages(page: string): Promise<string[]> {
  const text = await readFile(page, 'utf8')
  const addresses = [...text.matchAll(/<a href="([^"#:]+\.html)[#"]/g)].map(([, address = '']) => address)
  return [...new Set(addresses)]
    .map((address) => decodeURIComponent(address))
    .filter((name) => !path.isAbsolute(name) && !name.split(/[\\/]/).includes('..'))
}
