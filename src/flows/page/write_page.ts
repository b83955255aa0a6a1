/** Writes report.html: what fits lies in the page, failures and regressions first; the rest in files of report.data/ beside it. */
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { type EvidencePack, type PageFile, type PageRuns, pageKey } from '../../../schemas/page.ts'
import { writeAtomic } from '../../base/durable.ts'
import { liesWithin } from '../../base/own_file.ts'
import type { Redactor } from '../../base/redact.ts'
import type { Prompts } from '../../phases/4-report/page/cases.ts'
import { packed } from '../../phases/4-report/page/pack.ts'
import { nothingBeside, type Beside as PageBeside, pageOf } from '../../phases/4-report/page/page.ts'
import { evidencePacks } from '../../phases/4-report/page/runs.ts'
import { shell } from '../../phases/4-report/page/shell.ts'
import { auditWorkspace } from '../label.ts'
import { RunFolders, runKey } from '../run_folders.ts'
import { addPrevious, addVersions } from './add_more.ts'
import { auditedIn, auditOf, idsOf, type MadeHere } from './audit.ts'
import { besideOf } from './beside.ts'
import { carriedFor, inPage, type Where } from './carried.ts'
import { byConcern } from './concern.ts'
import type { DetailsAhead } from './details_ahead.ts'
import { readDetail } from './read_detail.ts'
import { addReports } from './reports.ts'

export interface PageRequest {
  /** Of the benchmark, absolute. */
  folder: string
  /** The page to write, absolute. */
  report: string
  benchmark: Benchmark
  prompts: Prompts | null
  /** The folder of each run, absolute, by runKey. */
  folders: ReadonlyMap<string, string>
  /** What the runs must lie in, absolute; the folder if not given. */
  roots?: readonly string[]
  redactor: Redactor
  /** Input files by eval_id. */
  files?: ReadonlyMap<number, PageFile[]>
  /** Everything in the page and nothing beside it; what does not fit is left out, which it says. */
  singleFile?: boolean
  served?: boolean
  /** Two benchmarks in one, with the notes of both. */
  compared?: Required<Pick<PageBeside, 'feedback' | 'compared'>>
  /** A bench works on it at this moment. */
  running?: boolean
  /** By the process that writes the page. */
  made?: MadeHere
  /** What was packed already. */
  details?: DetailsAhead | null
  /** When the benchmark's own files, which versions of a skill are read from, are there; they are if not given. The page appears after them. */
  written?: Promise<void>
}

const manyRuns = 2000

export async function writePage(request: PageRequest): Promise<void> {
  await writeAtomic(request.report, await makePage(request))
}

/** The text of the page; what lies beside it is on disk when this returns. */
export async function makePage(request: PageRequest): Promise<string> {
  const { benchmark, folder, redactor, singleFile = false, roots = [folder] } = request
  const audited = await auditedIn(request)
  const { details = null } = request
  const ahead = await details?.packed()
  const folderOf = (run: { eval_id: number; configuration: string; run_number: number }) => {
    const key = runKey(run)
    const own = request.folders.get(key)
    const id = request.folders instanceof RunFolders ? request.folders.idOf(key) : undefined
    return id !== undefined && own === `${folder}/${id}` ? id : relativeFolder(folder, own) // the text that is in memory already
  }
  const { carried, sidecars } = carriedFor(request.report, singleFile, details)
  const evidence = evidencePacks(benchmark, audited === null ? null : idsOf(audited, folderOf))
  const packs = carryPacks(evidence, { carried, sidecars, singleFile, runs: benchmark.runs.length })
  const within = roots.map(liesWithin)
  const detailOf = (runs: PageRuns): Where[] => {
    const places = runs.case.map((): Where => 0)
    for (const index of byConcern(runs, benchmark)) {
      const own = path.join(folder, runs.folder[index] ?? '')
      if (own === folder || !within.some((isIn) => isIn(own))) continue
      const key = pageKey(runs.folder[index] ?? '')
      places[index] = carried.put(key, () => redactor.value(readDetail(own)), own, ahead?.get(own))
    }
    return places
  }
  const page = pageOf(benchmark, {
    ...nothingBeside,
    ...(request.compared ?? besideOf(folder)),
    prompts: request.prompts,
    files: request.files ?? new Map(),
    folderOf,
    detailOf,
    packs,
    stamp: benchmark.metadata.timestamp.replaceAll(/\D/g, '') + Date.now().toString(36),
    running: request.running ?? false,
  })
  if (audited !== null) page.extras.audit = auditOf(audited, page, (sample) => carried.put('audit', () => sample))
  if (request.served !== true) addReports(page, folder, auditWorkspace(folder))
  await addPrevious(page, { folder, redactor, carried, details })
  await request.written
  addVersions(page, { workspace: auditWorkspace(folder), redactor, carried })
  page.left_out.push(...leftOut(carried.refused))
  await sidecars.end()
  return shell({ page, data: carried.data, served: request.served ?? false })
}

interface PackPlaces extends ReturnType<typeof carriedFor> {
  singleFile: boolean
  runs: number
}

/** Where each pack went. Thousands of runs never fit: then they are packed for speed, not for size, and none is kept. */
function carryPacks(evidence: Iterable<EvidencePack>, to: PackPlaces): (1 | 2)[] {
  const { carried, sidecars, singleFile, runs } = to
  if (!singleFile && runs > manyRuns) {
    return Array.from(evidence, (pack, index) => {
      sidecars.write(`pack-${index}`, packed(pack, 1))
      return 2
    })
  }
  const packs = Array.from(evidence, (pack) => packed(pack))
  const together = packs.reduce((sum, text) => sum + text.length, 0)
  const isInside = singleFile || together <= inPage / 2
  return packs.map((text, index) => {
    if (isInside) carried.inside(`pack-${index}`, text)
    else sidecars.write(`pack-${index}`, text)
    return isInside ? 1 : 2
  })
}

function leftOut(refused: readonly string[]): string[] {
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
