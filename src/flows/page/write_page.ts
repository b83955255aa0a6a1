/** Writes report.html: as much as fits, failures and regressions first; the rest goes into files of report.data/. */
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { type EvidencePack, type PageFile, type PageRuns, pageKey } from '../../../schemas/page.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { createInsideCheck } from '../../base/fs/inside_folder.ts'
import type { Redactor } from '../../base/secrets/redact.ts'
import {
  buildPage,
  noBenchmarkExtras,
  type BenchmarkExtras as PageBeside,
} from '../../phases/4-report/page/build_page.ts'
import type { CasePrompts } from '../../phases/4-report/page/cases.ts'
import { packValue } from '../../phases/4-report/page/pack.ts'
import { evidencePacks } from '../../phases/4-report/page/runs.ts'
import { renderPageShell } from '../../phases/4-report/page/shell.ts'
import { runFolderKey } from '../../store/run_folder_map.ts'
import { auditWorkspace } from '../labels/record_labels.ts'
import { buildPageAudit, indexDecisionIds, readAuditedBenchmark } from './data/audit.ts'
import { readBenchmarkExtras } from './data/benchmark_extras.ts'
import { addReports } from './data/report_links.ts'
import { maxInlineChars, openPagePayload, type PayloadPlace } from './data_placement.ts'
import { addPrevious, addVersions } from './lazy_sections.ts'
import { readDetail } from './run_detail.ts'
import { sortByPriority } from './run_priority.ts'

export interface PageRequest {
  /** The benchmark's, absolute. */
  folder: string
  /** The page to write, absolute. */
  report: string
  benchmark: Benchmark
  prompts: CasePrompts | null
  /** Each run's folder, absolute, by runKey. */
  folders: ReadonlyMap<string, string>
  /** The runs must be in one of these, absolute; absent: in `folder`. */
  roots?: readonly string[]
  redactor: Redactor
  /** Input files by eval_id. */
  files?: ReadonlyMap<number, PageFile[]>
  /** Everything in one file; the page mentions what does not fit. */
  singleFile?: boolean
  served?: boolean
  /** Two benchmarks in one page, with the notes of both. */
  compared?: Required<Pick<PageBeside, 'feedback' | 'compared'>>
  /** A bench is still running on it. */
  running?: boolean
}

export async function writePage(request: PageRequest): Promise<void> {
  await writeAtomic(request.report, await makePage(request))
}

/** The text of the page; its data files are on disk when this returns. */
export async function makePage(request: PageRequest): Promise<string> {
  const { benchmark, folder, redactor, singleFile = false, roots = [folder] } = request
  const audited = await readAuditedBenchmark(request)
  const folderOf = (run: { eval_id: number; configuration: string; run_number: number }) =>
    relativeFolder(folder, request.folders.get(runFolderKey(run)))
  const { carried, sidecars } = openPagePayload(request.report, singleFile)
  const evidence = evidencePacks(benchmark, audited === null ? null : indexDecisionIds(audited, folderOf))
  const packs = putPacks(evidence, { carried, sidecars, singleFile })
  const within = roots.map(createInsideCheck)
  const detailOf = (runs: PageRuns): PayloadPlace[] => {
    const places = runs.case.map((): PayloadPlace => 0)
    for (const index of sortByPriority(runs, benchmark)) {
      const own = path.join(folder, runs.folder[index] ?? '')
      if (own === folder || !within.some((isIn) => isIn(own))) continue
      const key = pageKey(runs.folder[index] ?? '')
      places[index] = carried.put(key, () => redactor.value(readDetail(own)), own)
    }
    return places
  }
  const page = buildPage(benchmark, {
    ...noBenchmarkExtras,
    ...(request.compared ?? readBenchmarkExtras(folder)),
    prompts: request.prompts,
    files: request.files ?? new Map(),
    folderOf,
    detailOf,
    packs,
    stamp: benchmark.metadata.timestamp.replaceAll(/\D/g, '') + Date.now().toString(36),
    running: request.running ?? false,
  })
  if (audited !== null)
    page.extras.audit = buildPageAudit(audited, page, (sample) => carried.put('audit', () => sample))
  if (request.served !== true) addReports(page, folder, auditWorkspace(folder))
  addPrevious(page, { folder, redactor, carried })
  addVersions(page, { workspace: auditWorkspace(folder), redactor, carried })
  page.left_out.push(...describeLeftOut(carried.refused))
  sidecars.end()
  return renderPageShell({ page, data: carried.data, served: request.served ?? false })
}

interface PackPlaces extends ReturnType<typeof openPagePayload> {
  singleFile: boolean
}

/** Where each pack is placed. */
function putPacks(evidence: readonly EvidencePack[], { carried, sidecars, singleFile }: PackPlaces): (1 | 2)[] {
  const packs = evidence.map((pack) => packValue(pack))
  const together = packs.reduce((sum, text) => sum + text.length, 0)
  const isInside = singleFile || together <= maxInlineChars / 2
  return packs.map((text, index) => {
    if (isInside) carried.inside(`pack-${index}`, text)
    else sidecars.write(`pack-${index}`, text)
    return isInside ? 1 : 2
  })
}

function describeLeftOut(refused: readonly string[]): string[] {
  const said = [
    ['run-', 'Transcripts and outputs of', 'those that failed and regressed last'],
    ['before-', 'What was in the iteration before of', 'their notes are here'],
  ] as const
  return said.flatMap(([prefix, what, but]) => {
    const left = refused.filter((key) => key.startsWith(prefix)).length
    return left === 0 ? [] : [`${what} ${left} runs are left out of this single file, ${but}.`]
  })
}

function relativeFolder(folder: string, run: string | undefined): string {
  return run === undefined ? '' : path.relative(folder, run).split(path.sep).join('/')
}
