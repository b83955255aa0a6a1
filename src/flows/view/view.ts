/** view: rewrites the page of a folder from the gradings on disk: a benchmark, a workspace, another tool's folder. */
import { existsSync } from 'node:fs'
import { copyFile, cp, mkdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { errorMessage, UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { findOwnFile } from '../../base/fs/inside_folder.ts'
import { readNames } from '../../base/fs/tree_size.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { rankPaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'
import { aggregateAgain } from '../aggregate/aggregate.ts'
import type { FlowContext } from '../flow_context.ts'
import { loadCollectionPage, loadIndexSteps } from '../index_steps.ts'
import { writeWorkspacePage } from '../page/workspace_page.ts'
import { writePage } from '../page/write_page.ts'
import { findLoneMeasurement, resolveBenchmarkFolder } from '../report/read_benchmark.ts'
import { explainWriteErrors } from '../report/report_folder.ts'
import type { SummarizedBenchmark } from '../report/summarize.ts'
import { findRequestedEvals, resolveWorkspace } from '../workspace/resolve_workspace.ts'

export interface ViewRequest {
  /** A benchmark, rank or watch, a workspace (its newest benchmark), a folder of workspaces or above `workspaces/`, or another tool's folder. */
  folder: string
  /** A folder that gets a copy of the page as index.html; null: none. */
  copyTo: string | null
  /** Put as much as fits into the page, without data files. */
  singleFile: boolean
}

export interface ViewResult {
  /** The page to open, absolute. */
  page: string
  /** null: the page shows no single benchmark, but an index, several benchmarks or a measurement. */
  summarized: SummarizedBenchmark | null
  /** What a terminal shows of it; absent: only its path. */
  text?: string
}

type WritePage = (request: ViewRequest, context: FlowContext) => Promise<ViewResult>

/** Writes the page, that of the folder or another one. Throws UserError where there is nothing to show. */
export async function view(
  request: ViewRequest,
  context: FlowContext,
  write: WritePage = writeView,
): Promise<ViewResult> {
  const viewed = await explainWriteErrors(request.folder, () => write(request, context))
  if (request.copyTo === null) return viewed
  return { ...viewed, page: await publishPage(viewed.page, request.copyTo, !request.singleFile) }
}

async function writeView(request: ViewRequest, context: FlowContext): Promise<ViewResult> {
  const folder = await resolveWorkspace(path.resolve(request.folder))
  const writeCollection = (await isFolderOfBenchmarks(folder)) ? await loadCollectionPage() : null
  if (writeCollection !== null) return { ...(await writeCollection(folder, context)), summarized: null }
  const viewed = await writeFolderPage(folder, request, context)
  if (request.singleFile && viewed.summarized !== null) await writeSingle(viewed.page, viewed.summarized, context)
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
