/** view: the page of what lies in a folder, written anew from the gradings on disk: a benchmark, a workspace, another tool's folder. */
import path from 'node:path'
import { type Trend, trend as trendSchema } from '../../schemas/trend.ts'
import { writeAtomic } from '../base/durable.ts'
import { redactorFor } from '../base/redact.ts'
import { trendHtml } from '../phases/4-report/trend_page.ts'
import { trendMarkdown } from '../phases/4-report/trend_text.ts'
import { trendPaths } from '../store/paths.ts'
import { listBenchmarks, writeArtefact } from '../store/store.ts'
import { aggregateAgain } from './aggregate.ts'
import { folderOf, measuredAlone } from './benchmark_in.ts'
import type { FlowContext } from './context.ts'
import { evalsAsked, writeEvalIndex } from './eval/view_evals.ts'
import { indexNow } from './index_now.ts'
import { meantBy } from './meant.ts'
import { publish } from './page/publish.ts'
import { writeWorkspacePage } from './page/workspace_page.ts'
import { writePage } from './page/write_page.ts'
import { reportingInto } from './report_folder.ts'
import type { Summarized } from './summarize.ts'
import { readTrend } from './trend.ts'
import { viewTwo } from './view_two.ts'

export interface ViewRequest {
  /** A benchmark, a workspace (its newest benchmark), a folder of workspaces or above `workspaces/`, or one that another tool made. */
  folder: string
  /** A folder that gets a copy of the page as index.html; null: none. */
  copyTo: string | null
  /** The page holds all that it has room for, and nothing lies beside it. */
  singleFile: boolean
  /** All benchmarks below the folder over time. */
  trend: boolean
  /** Another one, shown beside it; null: none. */
  against: string | null
}

export interface Viewed {
  /** The page to open, absolute. */
  page: string
  /** null: no benchmark, or several: an index, a trend, two beside each other. */
  summarized: Summarized | null
  trend?: Trend
}

/** Writes the page. Throws UserError where there is nothing to show. */
export async function view(request: ViewRequest, context: FlowContext): Promise<Viewed> {
  const viewed = await reportingInto(request.folder, () => madeFor(request, context))
  if (request.copyTo === null) return viewed
  return { ...viewed, page: await publish(viewed.page, request.copyTo, !request.singleFile) }
}

async function madeFor(request: ViewRequest, context: FlowContext): Promise<Viewed> {
  const { folder: given, against, singleFile } = request
  if (against !== null) return { page: await viewTwo({ a: given, b: against, singleFile }, context), summarized: null }
  const folder = await meantBy(path.resolve(given))
  const isTrend = request.trend || (await isFolderOfBenchmarks(folder))
  const viewed = isTrend ? await writeTrend(folder, context) : await pageOf(folder, request, context)
  if (singleFile && viewed.summarized !== null) await writeSingle(viewed.page, viewed.summarized, context)
  return viewed
}

async function writeSingle(report: string, made: Summarized, context: FlowContext): Promise<void> {
  const { folder, benchmark, folders, prompts } = made
  const redactor = redactorFor(context.env)
  await writePage({ folder, report, benchmark, prompts, folders, redactor, singleFile: true })
}

/** `<workspace>/benchmarks`, or the like: folders named by their time, of ours. */
async function isFolderOfBenchmarks(folder: string): Promise<boolean> {
  const [newest] = await listBenchmarks(path.dirname(folder))
  return newest !== undefined && path.dirname(newest) === folder
}

async function writeTrend(folder: string, context: FlowContext): Promise<Viewed> {
  const trend = await readTrend([folder], context.env)
  const paths = trendPaths(folder)
  await writeArtefact(trendSchema, paths.trend, trend)
  await writeAtomic(paths.markdown, trendMarkdown(trend))
  await writeAtomic(paths.page, trendHtml(trend))
  return { page: paths.page, summarized: null, trend }
}

async function pageOf(folder: string, request: ViewRequest, context: FlowContext): Promise<Viewed> {
  const { folder: given, singleFile } = request
  const index = await indexNow(folder, context)
  if (index !== null) return { page: index, summarized: null }
  const evals = await evalsAsked(folder)
  if (evals?.one === null) {
    const page = await writeEvalIndex(evals.all, (one) => aggregateAgain({ ...usual, folder: one }, context))
    return { page, summarized: null }
  }
  const measured = await measuredAlone(folder)
  if (evals === null && measured !== null) {
    const redactor = redactorFor(context.env)
    const page = await writeWorkspacePage({ ...measured, redactor, now: context.now(), singleFile })
    return { page, summarized: null }
  }
  const asked = { ...usual, folder: evals?.one ?? (await folderOf(given)) }
  const summarized = await aggregateAgain(asked, context)
  return { page: summarized.paths.report, summarized }
}

const usual = { candidate: null, baseline: null, force: false, agentskills: null }
