/** Writes report.html: what fits lies in the page, failures and regressions first; the rest in files of report.data/ beside it. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { type PageFile, type PageRuns, pageKey } from '../../../schemas/page.ts'
import { writeAtomic } from '../../base/files.ts'
import type { Redactor } from '../../base/redact.ts'
import type { Prompts } from '../../phases/4-report/page/cases.ts'
import { packed } from '../../phases/4-report/page/pack.ts'
import { nothingBeside, type Beside as PageBeside, pageOf } from '../../phases/4-report/page/page.ts'
import { evidencePacks } from '../../phases/4-report/page/runs.ts'
import { shell } from '../../phases/4-report/page/shell.ts'
import { auditedIn, auditOf, idsOf } from './audit.ts'
import { besideOf } from './beside.ts'
import { byConcern } from './concern.ts'
import { readDetail } from './read_detail.ts'
import { Sidecars } from './sidecars.ts'

export interface PageRequest {
  /** Of the benchmark, absolute. */
  folder: string
  /** The page to write, absolute. */
  report: string
  benchmark: Benchmark
  prompts: Prompts | null
  /** The folder of each run, absolute, by runKey. */
  folders: ReadonlyMap<string, string>
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
}

/** Packed characters of evidence, transcripts and outputs that lie in the page itself. */
const inPage = 400_000
const inSingleFile = 30_000_000
const manyRuns = 2000

function dataFolder(report: string): string {
  return path.join(path.dirname(report), 'report.data')
}

export async function writePage(request: PageRequest): Promise<void> {
  await writeAtomic(request.report, await makePage(request))
}

/** The text of the page; what lies beside it is on disk when this returns. */
export async function makePage(request: PageRequest): Promise<string> {
  const { benchmark, folder, redactor, singleFile = false } = request
  const audited = await auditedIn(folder, benchmark, redactor)
  const folderOf = (run: { eval_id: number; configuration: string; run_number: number }) =>
    relativeFolder(folder, request.folders.get(`${run.eval_id}/${run.configuration}/run-${run.run_number}`))
  const most = singleFile ? inSingleFile : inPage
  const data: { key: string; text: string }[] = []
  const beside = new Sidecars(singleFile ? null : dataFolder(request.report))
  let used = 0
  const evidence = evidencePacks(benchmark, audited === null ? null : idsOf(audited, folderOf))
  // thousands of runs never fit: then they are packed for speed, not for size
  const isMany = !singleFile && benchmark.runs.length > manyRuns
  const packs = evidence.map((pack) => packed(pack, isMany ? 1 : 6))
  const together = packs.reduce((sum, text) => sum + text.length, 0)
  const packsInside = singleFile || (!isMany && together <= most / 2)
  packs.forEach((text, index) => {
    if (packsInside) data.push({ key: `pack-${index}`, text })
    else beside.write(`pack-${index}`, text)
  })
  if (packsInside) used += together
  const left: string[] = []
  const detailOf = (runs: PageRuns): (0 | 1 | 2)[] => {
    const places = runs.case.map((): 0 | 1 | 2 => 0)
    for (const index of byConcern(runs, benchmark)) {
      const relative = runs.folder[index] ?? ''
      const own = relative === '' ? '' : path.join(folder, relative)
      if (own === '' || !existsSync(own)) continue
      const key = pageKey(relative)
      const full = used >= most
      if (full && singleFile) {
        left.push(relative)
        continue
      }
      places[index] = full ? 2 : 1
      if (full && beside.isFresh(key, own)) continue
      const text = packed(redactor.value(readDetail(own)), full ? 1 : 6)
      if (full) beside.write(key, text, own)
      else {
        data.push({ key, text })
        used += text.length
      }
    }
    return places
  }
  const more = request.compared ? { ...nothingBeside, ...request.compared } : besideOf(folder)
  const page = pageOf(benchmark, {
    ...more,
    prompts: request.prompts,
    files: request.files ?? new Map(),
    folderOf,
    detailOf,
    packs: packs.map(() => (packsInside ? 1 : 2)),
    stamp: benchmark.metadata.timestamp.replaceAll(/\D/g, '') + Date.now().toString(36),
    running: request.running ?? false,
    left_out: [],
  })
  if (audited !== null) page.extras.audit = auditOf(audited, page)
  if (left.length > 0) {
    page.left_out.push(
      `Transcripts and outputs of ${left.length} runs are left out of this single file, those that failed and regressed last.`,
    )
  }
  beside.end()
  return shell({ page, data, served: request.served ?? false })
}

function relativeFolder(folder: string, run: string | undefined): string {
  return run === undefined ? '' : path.relative(folder, run).split(path.sep).join('/')
}
