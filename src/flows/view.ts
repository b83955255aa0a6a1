/** view: the page of what lies in a folder, written anew from the gradings on disk: a benchmark, a workspace, another tool's folder. */
import { copyFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { benchmarkPaths, indexPaths } from '../store/paths.ts'
import { listBenchmarks } from '../store/store.ts'
import { aggregateAgain } from './aggregate.ts'
import type { FlowContext } from './context.ts'
import type { Summarized } from './summarize.ts'

export interface ViewRequest {
  /** A benchmark, a workspace (its newest benchmark), a folder with index.html, or a folder that another tool made. */
  folder: string
  /** A folder that gets a copy of the page as index.html; null: none. */
  copyTo: string | null
}

export interface Viewed {
  /** The page to open, absolute. */
  page: string
  /** null: an index of several benchmarks, which is not made anew. */
  summarized: Summarized | null
}

/** Writes the page. Throws UserError where there is nothing to show. */
export async function view(request: ViewRequest, context: FlowContext): Promise<Viewed> {
  const viewed = await pageOf(path.resolve(request.folder), context)
  if (request.copyTo === null) return viewed
  const page = path.join(path.resolve(request.copyTo), 'index.html')
  await mkdir(path.dirname(page), { recursive: true }).catch((error: unknown) => {
    throw new UserError(`--static ${request.copyTo}: ${error instanceof Error ? error.message : String(error)}`)
  })
  await copyFile(viewed.page, page)
  return { ...viewed, page }
}

async function pageOf(folder: string, context: FlowContext): Promise<Viewed> {
  const [newest] = await listBenchmarks(folder)
  const index = indexPaths(folder).page
  const isOurs = await exists(benchmarkPaths(folder).plan)
  if (!isOurs && newest === undefined && (await exists(index)) && (await exists(indexPaths(folder).index))) {
    return { page: index, summarized: null }
  }
  const asked = { folder: newest ?? folder, candidate: null, baseline: null, force: false, agentskills: null }
  const summarized = await aggregateAgain(asked, context)
  return { page: summarized.paths.report, summarized }
}
