/** aggregate: rewrites benchmark.json and the reports from the runs and gradings on disk, from Whetstone or another tool. */
import path from 'node:path'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { readPlan } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { type FolderRequest, loadFolderReader } from '../report/folder_reader.ts'
import { explainWriteErrors } from '../report/report_folder.ts'
import { type SummarizedBenchmark, summarizeBenchmark } from '../report/summarize.ts'
import { lockBenchmark } from '../workspace/benchmark_lock.ts'

/** Which configuration is which, and `force`, are only for folders from other tools. */
export interface AggregateRequest extends FolderRequest {
  /** A benchmark, a workspace (its newest benchmark), or a folder from another tool. */
  folder: string
  /** More shards of the same benchmark, and the new folder for all; absent: none. */
  shards?: { others: readonly string[]; target: string }
  /** A folder that gets the same results in the agentskills.io dialect; null: none. */
  agentskills: string | null
}

/** Summarizes the folder, then writes it in another dialect if asked to. */
export async function aggregateAgain(asked: AggregateRequest, context: FlowContext): Promise<SummarizedBenchmark> {
  const named = await resolveBenchmarkArgument(asked.folder)
  const request = {
    ...asked,
    folder: asked.shards === undefined ? named : await mergeInto(named, asked.shards, context),
  }
  const summarized = () => explainWriteErrors(request.folder, () => summarizeFolder(request, context))
  if (request.agentskills === null) return await summarized()
  const { assertExportTarget, writeAgentskills } = await import('../report/write_agentskills.ts')
  const target = path.resolve(request.agentskills)
  await assertExportTarget(path.resolve(request.folder), target)
  const made = await summarized()
  await writeAgentskills(made, target)
  return { ...made, exported: target }
}

async function mergeInto(
  first: string,
  { others, target }: NonNullable<AggregateRequest['shards']>,
  { env }: Pick<FlowContext, 'env'>,
): Promise<string> {
  const { mergeShards } = await import('./merge_shards.ts')
  const folders = [first]
  for (const one of others) folders.push(await resolveBenchmarkArgument(one))
  await mergeShards(
    folders.map((one) => path.resolve(one)),
    path.resolve(target),
    findSigner(env),
  )
  return target
}

/** The path as given; for a workspace, its newest benchmark, absolute. */
async function resolveBenchmarkArgument(given: string): Promise<string> {
  const asked = path.resolve(given)
  if (await pathExists(benchmarkPaths(asked).plan)) return given
  const { resolveBenchmarkFolder } = await import('../report/read_benchmark.ts')
  const folder = await resolveBenchmarkFolder(given)
  return folder === asked ? given : folder
}

/** A folder with plan.json is from Whetstone; any other is searched for runs. Throws UserError where there are none. */
async function summarizeFolder(request: AggregateRequest, context: FlowContext): Promise<SummarizedBenchmark> {
  const folder = path.resolve(request.folder)
  if (!(await pathExists(benchmarkPaths(folder).plan))) {
    return (await loadFolderReader()).aggregateFolder(folder, request, context)
  }
  if (request.candidate !== null || request.baseline !== null) {
    throw new UserError(
      `${request.folder}: its plan.json already says which configuration is which`,
      'remove --candidate and --baseline',
    )
  }
  const plan = await readPlan(folder)
  await using lock = await lockBenchmark(folder, context)
  const made = await summarizeBenchmark(folder, plan, lock.context, { page: request.page ?? true })
  const { findUnreadNotes } = await import('../page/data/notes.ts')
  const unread = findUnreadNotes(folder)
  if (unread === null) return made
  const message = `${unread.file}: ${unread.message}`
  const mended = 'ignored; a person wrote this file, so fix it by hand'
  context.emit({ type: 'artefact_damaged', file: unread.file, message, mended })
  return { ...made, unread }
}
