/** view: rewrites the page of a folder from the gradings on disk: a benchmark, a workspace, another tool's folder. */
import path from 'node:path'
import { type Trend, trend as trendSchema } from '../../../schemas/trend.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { trendHtml } from '../../phases/4-report/trend/trend_page.ts'
import { trendMarkdown } from '../../phases/4-report/trend/trend_text.ts'
import { trendPaths } from '../../store/paths.ts'
import { listBenchmarks, writeArtefact } from '../../store/store.ts'
import { aggregateAgain } from '../aggregate/aggregate.ts'
import type { FlowContext } from '../flow_context.ts'
import { findRequestedEvals, writeEvalIndex } from '../index/eval_pages.ts'
import { refreshIndex } from '../index/update_index.ts'
import { publishPage } from '../page/publish.ts'
import { writeWorkspacePage } from '../page/workspace_page.ts'
import { writePage } from '../page/write_page.ts'
import { findLoneMeasurement, resolveBenchmarkFolder } from '../report/read_benchmark.ts'
import { explainWriteErrors } from '../report/report_folder.ts'
import type { SummarizedBenchmark } from '../report/summarize.ts'
import { readTrend } from '../trend/trend.ts'
import { resolveWorkspace } from '../workspace/resolve_workspace.ts'
import { viewTwo } from './compare_page.ts'
import { findWrittenPage } from './written_page.ts'

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
  const index = await refreshIndex(folder, context)
  if (index !== null) return { page: index, summarized: null }
  const evals = await findRequestedEvals(folder)
  if (evals?.one === null) {
    const page = await writeEvalIndex(evals.all, (one) =>
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
  const asked = { ...defaultAggregateRequest, folder: evals?.one ?? (await resolveBenchmarkFolder(given)) }
  const summarized = await aggregateAgain(asked, context)
  return { page: summarized.paths.report, summarized }
}

const defaultAggregateRequest = { candidate: null, baseline: null, force: false, agentskills: null }
