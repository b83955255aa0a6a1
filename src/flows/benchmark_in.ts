/** A benchmark as it lies in a folder now, ours or another tool's: read, and nothing written. */
import path from 'node:path'
import type { PageFile } from '../../schemas/page.ts'
import type { Plan } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { redactorFor } from '../base/redact.ts'
import { findRuns, walkTree } from '../store/foreign/tree.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { listBenchmarks, readPlan } from '../store/store.ts'
import { foreignNow } from './aggregate_foreign.ts'
import type { FlowContext } from './context.ts'
import { evalsAsked } from './eval/view_evals.ts'
import { meantBy } from './meant.ts'
import { caseFiles } from './page/case_files.ts'
import { type Measured, measuredIn } from './page/workspace_page.ts'
import { benchmarkNow, type Summarized } from './summarize.ts'

export interface Found extends Pick<Summarized, 'folder' | 'benchmark' | 'folders' | 'prompts'> {
  /** null: another tool's. */
  plan: Plan | null
  /** Input files by eval_id. */
  files: ReadonlyMap<number, PageFile[]>
}

/** Of a workspace its newest benchmark, else its newest eval; of a project that of its only workspace. Throws UserError where there is none. */
export async function folderOf(asked: string): Promise<string> {
  const given = path.resolve(asked)
  if (!(await exists(given))) throw new UserError(`${asked}: no such folder`)
  const folder = await meantBy(given)
  const [newest] = await listBenchmarks(folder)
  return newest ?? (await evalsAsked(folder))?.all[0] ?? folder
}

/** What there is of a folder (absolute) without a benchmark: of a workspace, of a measurement in it; null: it has one, or nothing. */
export async function measuredAlone(folder: string): Promise<Measured | null> {
  const measured = measuredIn(folder)
  if (measured === null || measured.folder !== measured.workspace) return measured
  const [newest] = await listBenchmarks(folder)
  if (newest !== undefined || (await exists(benchmarkPaths(folder).plan))) return null
  // what our own loop keeps of runs besides is what proposers were shown; another tool keeps its history beside its iterations
  if (isByUs(measured)) return measured
  const { runs } = await findRuns(await walkTree(folder))
  return runs.some((run) => run.result?.grading) ? null : measured
}

function isByUs({ extras: { history } }: Measured): boolean {
  return history !== undefined && 'value' in history && history.value.schema_version !== undefined
}

/** `folder`: absolute, of one benchmark. Throws UserError where nothing in it is a run. */
export async function benchmarkIn(folder: string, context: FlowContext): Promise<Found> {
  if (!(await exists(benchmarkPaths(folder).plan))) {
    const found = await foreignNow(folder, { candidate: null, baseline: null }, context)
    return { ...found, folder, plan: null, files: new Map() }
  }
  const plan = await readPlan(folder)
  const prompts = { cases: redactorFor(context.env).value(plan.cases) }
  return { ...(await benchmarkNow(folder, plan, context)), folder, plan, prompts, files: await caseFiles(plan.cases) }
}
