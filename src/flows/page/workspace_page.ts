/** The page of a workspace without a benchmark: what was measured of its triggers, what the improve loop and its descriptions tried. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { PageExtras } from '../../../schemas/page.ts'
import { writeAtomic } from '../../base/durable.ts'
import { exists } from '../../base/files.ts'
import type { Redactor } from '../../base/redact.ts'
import { besideSentences } from '../../phases/4-report/page/beside_said.ts'
import { nothingBeside, pageOf } from '../../phases/4-report/page/page.ts'
import { shell } from '../../phases/4-report/page/shell.ts'
import { nameOf } from '../../store/foreign/read_foreign.ts'
import { benchmarkPaths, collectionFolder, isTimestampName } from '../../store/paths.ts'
import { addVersions } from './add_more.ts'
import { carriedFor } from './carried.ts'
import { workspaceExtras } from './workspace.ts'

/** What is shown of a workspace that has no benchmark. */
export interface Measured {
  /** Absolute. */
  workspace: string
  /** Where its page goes; absolute. */
  folder: string
  extras: PageExtras
}

/** `folder`: a workspace, or one measurement in it. null: there is nothing of it to show. */
export function measuredIn(folder: string): Measured | null {
  const workspace = path.dirname(path.dirname(folder))
  const isOne =
    isTimestampName(path.basename(folder)) && path.dirname(folder) === collectionFolder(workspace, 'triggers')
  const own = isOne ? { workspace, only: path.basename(folder) } : { workspace: folder, only: null }
  const { trend: _over, ...extras } = workspaceExtras(own.workspace, own.only)
  return Object.keys(extras).length === 0 ? null : { workspace: own.workspace, folder, extras }
}

export interface WorkspacePageRequest extends Measured {
  /** The page to write, absolute. */
  report: string
  redactor: Redactor
  now: Date
  singleFile?: boolean
  served?: boolean
}

/** The text of the page; what lies beside it is on disk when this returns. */
export async function makeWorkspacePage(request: WorkspacePageRequest): Promise<string> {
  const { workspace, extras, redactor, report, now, singleFile = false, served = false } = request
  const { carried, sidecars } = carriedFor(report, singleFile)
  const [headline = '', ...sureness] = besideSentences(extras)
  const page = pageOf(nothingBenched(skillOf(extras) ?? nameOf(workspace), now), {
    ...nothingBeside,
    extras,
    stamp: now.getTime().toString(36),
  })
  page.without_benchmark = true
  page.said = { ...page.said, headline, sureness, incomplete: null, facts: [], header: [], rows: [] }
  addVersions(page, { workspace, redactor, carried })
  await sidecars.end()
  return shell({ page: redactor.value(page), data: carried.data, served })
}

/** Gives the page's path. */
export async function writeWorkspacePage(request: Omit<WorkspacePageRequest, 'report'>): Promise<string> {
  const report = await freeReport(request.folder)
  await writeAtomic(report, await makeWorkspacePage({ ...request, report }))
  return report
}

/** Beside a report.html that is not ours. */
async function freeReport(folder: string): Promise<string> {
  const { report } = benchmarkPaths(folder)
  const isFree = !(await exists(report)) || readFileSync(report, 'utf8').includes('data-key="page"')
  return isFree ? report : path.join(folder, 'whetstone-report.html')
}

function skillOf({ triggers, history, description }: PageExtras): string | null {
  const all = [triggers, history, description].flatMap((one) =>
    one !== undefined && 'value' in one ? [one.value] : [],
  )
  return all[0]?.skill_name ?? null
}

function nothingBenched(skill_name: string, now: Date): Benchmark {
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
