/** Reads a benchmark folder, from Whetstone or another tool, without writing. */
import path from 'node:path'
import type { PageFile } from '../../../schemas/page.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { pathExists } from '../../base/fs/files.ts'
import { missingPathError } from '../../base/fs/nearest_path.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { listBenchmarks, readPlan } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { readCaseFiles } from '../page/data/case_files.ts'
import { type MeasuredWorkspace, readMeasuredWorkspace } from '../page/workspace_page.ts'
import { findRequestedEvals, resolveWorkspace } from '../workspace/resolve_workspace.ts'
import { loadFolderReader } from './folder_reader.ts'
import { aggregateBenchmark, type SummarizedBenchmark } from './summarize.ts'

export interface BenchmarkContents extends Pick<SummarizedBenchmark, 'folder' | 'benchmark' | 'folders' | 'prompts'> {
  /** null: from another tool. */
  plan: Plan | null
  /** Input files by eval_id. */
  files: ReadonlyMap<number, PageFile[]>
}

/** A workspace's newest benchmark, else its newest eval; for a project, in its only workspace. Throws UserError where there is none. */
export async function resolveBenchmarkFolder(asked: string): Promise<string> {
  const given = path.resolve(asked)
  if (!(await pathExists(given))) throw missingPathError(asked, 'folder', 'pass a workspace or a benchmark folder')
  const folder = await resolveWorkspace(given)
  const [newest] = await listBenchmarks(folder)
  return newest ?? (await findRequestedEvals(folder))?.all[0] ?? folder
}

/** The results in a folder (absolute) without a benchmark: of a workspace, or one measurement; null: it has a benchmark, or nothing. */
export async function findLoneMeasurement(folder: string): Promise<MeasuredWorkspace | null> {
  const measured = readMeasuredWorkspace(folder)
  if (measured === null || measured.folder !== measured.workspace) return measured
  const [newest] = await listBenchmarks(folder)
  if (newest !== undefined || (await pathExists(benchmarkPaths(folder).plan))) return null
  // runs next to Whetstone's own history were only shown to proposers; another tool's history has iterations next to it
  if (hasWhetstoneHistory(measured)) return measured
  return (await (await loadFolderReader()).hasGradedRuns(folder)) ? null : measured
}

function hasWhetstoneHistory({ extras: { history } }: MeasuredWorkspace): boolean {
  return history !== undefined && 'value' in history && history.value.schema_version !== undefined
}

/** `folder`: absolute, of one benchmark. Throws UserError where it has no run. */
export async function loadBenchmark(folder: string, context: FlowContext): Promise<BenchmarkContents> {
  if (!(await pathExists(benchmarkPaths(folder).plan))) {
    const { readFolder } = await loadFolderReader()
    const found = await readFolder(folder, { candidate: null, baseline: null }, context)
    return { ...found, folder, plan: null, files: new Map() }
  }
  const plan = await readPlan(folder)
  const prompts = { cases: getRedactor(context.env).value(plan.cases) }
  return {
    ...(await aggregateBenchmark(folder, plan, context)),
    folder,
    plan,
    prompts,
    files: await readCaseFiles(plan.cases),
  }
}
