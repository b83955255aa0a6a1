/** aggregate: writes benchmark.json and the reports anew from the runs and gradings on disk, ours or another tool's. */
import path from 'node:path'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { readPlan } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import { holdBenchmark } from './hold.ts'
import { reportingInto } from './report_folder.ts'
import { type Summarized, summarize } from './summarize.ts'
// what reads folders of other tools and writes for them is loaded where there is one

export interface AggregateRequest {
  /** A benchmark, a workspace (its newest), or a folder that another tool made. */
  folder: string
  /** Only for folders of other tools: which configuration is which (null: by their names), overwrite their reports. */
  candidate: string | null
  baseline: string | null
  force: boolean
  /** A folder that gets the same in the agentskills.io dialect; null: none. */
  agentskills: string | null
  /** False: benchmark.json and benchmark.md alone. Absent: the page too. */
  page?: boolean
}

/** As summarizeFolder; then in another dialect where that is asked for. */
export async function aggregateAgain(asked: AggregateRequest, context: FlowContext): Promise<Summarized> {
  const request = { ...asked, folder: await benchmarkOf(asked.folder) }
  const summarized = () => reportingInto(request.folder, () => summarizeFolder(request, context))
  if (request.agentskills === null) return await summarized()
  const { checkTarget, writeAgentskills } = await import('./write_agentskills.ts')
  const target = path.resolve(request.agentskills)
  await checkTarget(path.resolve(request.folder), target)
  const made = await summarized()
  await writeAgentskills(made, target)
  return { ...made, exported: target }
}

/** As it was given; of a workspace its newest benchmark, absolute. */
async function benchmarkOf(given: string): Promise<string> {
  const asked = path.resolve(given)
  if (await exists(benchmarkPaths(asked).plan)) return given
  const { folderOf } = await import('./benchmark_in.ts')
  const folder = await folderOf(given)
  return folder === asked ? given : folder
}

/** A folder with plan.json is ours; any other is searched for runs. Throws UserError where there are none. */
async function summarizeFolder(request: AggregateRequest, context: FlowContext): Promise<Summarized> {
  const folder = path.resolve(request.folder)
  if (!(await exists(benchmarkPaths(folder).plan))) {
    const { aggregateForeign } = await import('./aggregate_foreign.ts')
    return aggregateForeign(folder, request, context)
  }
  if (request.candidate !== null || request.baseline !== null) {
    throw new UserError(
      `${request.folder}: its plan.json says which configuration is which`,
      'leave out --candidate and --baseline',
    )
  }
  const plan = await readPlan(folder)
  await using held = await holdBenchmark(folder, context)
  const made = await summarize(folder, plan, held.context, { page: request.page ?? true, ahead: true })
  const { unreadNotes } = await import('./page/notes.ts')
  const unread = unreadNotes(folder)
  if (unread === null) return made
  const { file, message: why } = unread
  const message = `${file}: ${why}`
  context.emit({ type: 'artefact_damaged', file, message, mended: 'left out; a person wrote it: mend it' })
  return { ...made, unread }
}
