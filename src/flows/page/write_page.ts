/** Writes report.html: as much as fits, failures and regressions first; the rest goes into files of report.data/. */
import path from 'node:path'
import type { Benchmark, BenchmarkRun } from '../../../schemas/benchmark.ts'
import type { History } from '../../../schemas/history.ts'
import type { EvidencePack, Page, PageAudit, PageDrawn, PageFile, PageRuns } from '../../../schemas/page.ts'
import { pageKey } from '../../../schemas/page.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'
import { createInsideCheck, findOwnFile } from '../../base/fs/inside_folder.ts'
import type { Redactor } from '../../base/secrets/redact.ts'
import { readCaseRows } from '../../phases/4-report/benchmark/case_rows.ts'
import type { BenchmarkExtras as PageBeside } from '../../phases/4-report/page/build_page.ts'
import { buildPage, noBenchmarkExtras } from '../../phases/4-report/page/build_page.ts'
import type { CasePrompts } from '../../phases/4-report/page/cases.ts'
import { evidencePacks, type ReadDecisionIds } from '../../phases/4-report/page/runs.ts'
import { packValue, renderPageShell } from '../../phases/4-report/page/shell.ts'
import { readAuditLog } from '../../store/artefacts/audit_log.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { runFolderKey } from '../../store/run_folders.ts'
import { readPlan } from '../../store/store.ts'
import {
  auditWorkspace,
  iterateDecisions,
  type JudgeDecision,
  sampleDecisions,
  uniqueDecisions,
  usualSample,
} from '../labels/judge_decisions.ts'
import { readBenchmarkExtras } from './data/benchmark_extras.ts'
import { pageWorkspace } from './data/workspace.ts'
import { maxInlineChars, openPagePayload, type PayloadPlace } from './data_placement.ts'
import { addPrevious, addVersions } from './lazy_sections.ts'
import { readDetail } from './run_detail.ts'

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
  if (request.served !== true) addReports(page, folder, pageWorkspace(folder))
  addPrevious(page, { folder, redactor, carried })
  addVersions(page, { workspace: pageWorkspace(folder), redactor, carried })
  page.left_out.push(...describeLeftOut(carried.refused))
  sidecars.end()
  return renderPageShell({ page, data: carried.data, served: request.served ?? false })
}

interface PackPlaces extends ReturnType<typeof openPagePayload> {
  singleFile: boolean
}

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

/** Orders runs for a page with limited space: failures and regressions first. */
function sortByPriority(runs: PageRuns, benchmark: Benchmark): number[] {
  const deltas = readCaseRows(benchmark).map(({ delta }) => delta ?? 0)
  const concern = runs.case.map((one, index) => {
    if (runs.status[index] !== 'graded') return 3
    if ((deltas[one] ?? 0) < 0) return 2
    return (runs.rate[index] ?? 1) < 1 ? 1 : 0
  })
  return runs.case.map((_one, index) => index).sort((a, b) => (concern[b] ?? 0) - (concern[a] ?? 0) || a - b)
}

/** Relative URLs from `folder` (this benchmark's, in the workspace), by the other folder's name, such as 2026-01-15T10-30-00Z. */
function addReports({ extras }: Pick<Page, 'extras'>, folder: string, workspace: string): void {
  const { history, trend } = extras
  const ofHistory = history !== undefined && 'value' in history ? listSessionBenchmarks(history.value) : []
  const ofTrend = trend !== undefined && 'value' in trend ? trend.value.points : []
  const names = [...ofHistory, ...ofTrend.map((point) => point.folder)].map((name) => path.basename(name))
  const found = [...new Set(names)].flatMap((name) => {
    const files = ['benchmarks', 'searches'].map((folder) => path.join(folder, name, 'report.html'))
    const file = files.map((one) => findOwnFile(workspace, one)).find((one) => one !== null) ?? null
    if (file === null || path.dirname(file) === folder) return []
    return [[name, path.relative(folder, file).split(path.sep).map(encodeURIComponent).join('/')]]
  })
  if (found.length > 0) extras.reports = Object.fromEntries(found)
}

/** The folders of a session's benchmarks, as the history states them. */
function listSessionBenchmarks({ rounds = [], certification, confirmations = [] }: History): string[] {
  return [
    ...rounds.flatMap(({ benchmarks }) => [
      ...benchmarks.shown,
      ...(benchmarks.mixes === undefined ? [] : [benchmarks.mixes]),
    ]),
    ...(certification == null ? [] : [certification.benchmark]),
    ...confirmations.map(({ benchmark }) => benchmark),
  ]
}

/** A benchmark's decisions on disk, with texts as on the page. */
interface AuditedBenchmark {
  folder: string
  decisions: ShownDecision[]
}

interface ShownDecision extends Pick<JudgeDecision, 'id' | 'run_id' | 'configuration'> {
  graded: Pick<JudgeDecision['graded'], 'text' | 'passed'>
}

interface AuditPageRequest {
  folder: string
  benchmark: Benchmark
  redactor: Redactor
}

/** null: a judge decided nothing. */
async function readAuditedBenchmark({
  folder,
  benchmark,
  redactor,
}: AuditPageRequest): Promise<AuditedBenchmark | null> {
  const isJudged = benchmark.runs.some((run) => run.expectations.some((one) => one.decided_by === 'judge'))
  if (!isJudged || !(await pathExists(benchmarkPaths(folder).plan))) return null
  const decisions: ShownDecision[] = []
  for await (const { id, run_id, configuration, graded } of iterateDecisions(folder, await readPlan(folder))) {
    decisions.push({ id, run_id, configuration, graded: { text: redactor.text(graded.text), passed: graded.passed } })
  }
  return { folder, decisions }
}

/** The ids of a run's decisions, in the order of its expectations; null: not decided by a judge. */
function indexDecisionIds({ decisions }: AuditedBenchmark, folderOf: (run: BenchmarkRun) => string): ReadDecisionIds {
  const ids = new Map(decisions.map((one) => [`${one.run_id}\n${one.graded.text}`, one.id]))
  return (run) => run.expectations.map(({ text }) => ids.get(`${folderOf(run)}\n${text}`) ?? null)
}

/** The tab's data; `put` stores the sample where space allows. */
function buildPageAudit(
  { folder, decisions }: AuditedBenchmark,
  page: Pick<Page, 'runs' | 'cases'>,
  put: (sample: PageDrawn[]) => PageAudit['at'],
): PageAudit {
  const once = uniqueDecisions(decisions)
  const runs = new Map(page.runs.folder.map((name, index) => [name, index]))
  const sample = sampleDecisions(once, usualSample).flatMap(({ id, run_id, graded }) => {
    const run = runs.get(run_id) ?? -1
    const own = page.cases[page.runs.case[run] ?? -1]
    const statement = own?.statements.findIndex(({ text }) => text === graded.text) ?? -1
    return statement < 0 ? [] : [{ id, run, statement }]
  })
  const workspace = auditWorkspace(folder)
  const known = new Set(once.map(({ id }) => id))
  const labels = [...readAuditLog(workspace)].flatMap(([id, { met, at }]) =>
    known.has(id) ? [[id, { met, at }] as const] : [],
  )
  return {
    benchmark: path.relative(workspace, folder).split(path.sep).join('/'),
    judged: decisions.length,
    decisions: once.length,
    drawn: sample.length,
    at: put(sample),
    labels: Object.fromEntries(labels),
  }
}
