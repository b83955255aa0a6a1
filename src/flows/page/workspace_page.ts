/** Writes the page of a workspace without a benchmark: trigger measurements, the attempts of the improve loop, the units of a prune. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { PageExtras } from '../../../schemas/page.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'
import { buildPage, noBenchmarkExtras } from '../../phases/4-report/page/build_page.ts'
import { renderPageShell } from '../../phases/4-report/page/shell.ts'
import { listExtrasSentences } from '../../phases/4-report/page/workspace_facts.ts'
import { benchmarkPaths, collectionFolder, isTimestampName } from '../../store/paths.ts'
import { readWorkspaceExtras } from './data/workspace.ts'
import { openPagePayload } from './data_placement.ts'
import { addVersions } from './lazy_sections.ts'
import type { PageRequest } from './write_page.ts'

/** What is shown of a workspace that has no benchmark. */
export interface MeasuredWorkspace {
  /** Absolute. */
  workspace: string
  /** The page's folder; absolute. */
  folder: string
  extras: PageExtras
}

/** `folder`: a workspace, or one measurement in it. null: there is nothing to show. */
export function readMeasuredWorkspace(folder: string): MeasuredWorkspace | null {
  const workspace = path.dirname(path.dirname(folder))
  const isOne =
    isTimestampName(path.basename(folder)) && path.dirname(folder) === collectionFolder(workspace, 'triggers')
  const own = isOne ? { workspace, only: path.basename(folder) } : { workspace: folder, only: null }
  const { trend: _trend, trend_shown: _shown, ...extras } = readWorkspaceExtras(own.workspace, own.only)
  return Object.keys(extras).length === 0 ? null : { workspace: own.workspace, folder, extras }
}

export interface WorkspacePageRequest
  extends MeasuredWorkspace,
    Pick<PageRequest, 'report' | 'redactor' | 'singleFile' | 'served'> {
  now: Date
}

/** The text of the page; its data files are on disk when this returns. */
export async function makeWorkspacePage(request: WorkspacePageRequest): Promise<string> {
  const { workspace, extras, redactor, report, now, singleFile = false, served = false } = request
  const { carried, sidecars } = openPagePayload(report, singleFile)
  const [headline = '', ...sureness] = listExtrasSentences(extras)
  const page = buildPage(emptyBenchmark(findSkillName(extras) ?? benchmarkFolderName(workspace), now), {
    ...noBenchmarkExtras,
    extras,
    stamp: now.getTime().toString(36),
  })
  page.without_benchmark = true
  page.said = { ...page.said, headline, sureness, incomplete: null, facts: [], header: [], rows: [], hint: '' }
  addVersions(page, { workspace, redactor, carried })
  sidecars.end()
  return renderPageShell({ page: redactor.value(page), data: carried.data, served })
}

export async function writeWorkspacePage(request: Omit<WorkspacePageRequest, 'report'>): Promise<string> {
  const report = await freeReport(request.folder)
  await writeAtomic(report, await makeWorkspacePage({ ...request, report }))
  return report
}

/** Chooses another name if report.html is not from Whetstone. */
async function freeReport(folder: string): Promise<string> {
  const { report } = benchmarkPaths(folder)
  const isFree = !(await pathExists(report)) || readFileSync(report, 'utf8').includes('data-key="page"')
  return isFree ? report : path.join(folder, 'whetstone-report.html')
}

/** Of one skill, else the name of the folder of many. */
function findSkillName({ triggers, history, description, prune, trigger_matrix }: PageExtras): string | null {
  const all = [triggers, history, description, prune].flatMap((one) =>
    one !== undefined && 'value' in one ? [one.value] : [],
  )
  const [one] = all
  if (one !== undefined) return one.skill_name
  return trigger_matrix !== undefined && 'value' in trigger_matrix ? trigger_matrix.value.name : null
}

/** The folder's own name, or that of the workspace above `iteration-1`. */
export function benchmarkFolderName(folder: string): string {
  const names = path.resolve(folder).split(path.sep).filter(Boolean)
  const own = names.findLast(
    (name) => !/^(?:iteration|iter|round)[-_]?\d*$|^(?:runs|results|evals|workspace|benchmarks)$/i.test(name),
  )
  return (own ?? 'skill').replace(/-workspace$/, '') || 'skill'
}

function emptyBenchmark(skill_name: string, now: Date): Benchmark {
  return {
    metadata: {
      skill_name,
      skill_path: 'unknown',
      executor_model: 'unknown',
      analyzer_model: 'rules',
      timestamp: now.toISOString(),
      evals_run: [],
      runs_per_configuration: 0,
    },
    runs: [],
    run_summary: {},
    notes: [],
  }
}
