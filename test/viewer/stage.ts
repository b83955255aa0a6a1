/** A benchmark folder with runs, transcripts and outputs on disk, and its page. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Benchmark } from '../../schemas/benchmark.ts'
import { getRedactor } from '../../src/base/secrets/redact.ts'
import { writePage } from '../../src/flows/page/write_page.ts'
import type { CasePrompts } from '../../src/phases/4-report/page/cases.ts'

interface StagedRun {
  eval_id: number
  configuration: string
  run_number: number
  /** Lines of transcript.jsonl. */
  events?: readonly object[]
  /** Contents of outputs/ by path. */
  outputs?: Record<string, string | Uint8Array>
  record?: object
}

interface Stage {
  benchmark: Benchmark
  runs?: readonly StagedRun[]
  prompts?: CasePrompts
  /** Files in the benchmark folder. */
  files?: Record<string, string>
  singleFile?: boolean
}

export interface Staged {
  folder: string
  report: string
  url: string
  /** Writes the page again, after one run was made anew. */
  again(changed?: StagedRun): Promise<void>
}

function runFolder({ eval_id, configuration, run_number }: StagedRun): string {
  return `eval-${eval_id}/${configuration}/run-${run_number}`
}

export async function stage({ benchmark, runs = [], prompts, files = {}, singleFile = false }: Stage): Promise<Staged> {
  const folder = path.join(mkdtempSync(path.join(tmpdir(), 'viewer-')), 'benchmarks', '2026-01-15T10-30-00Z')
  const put = (name: string, content: string | Uint8Array) => {
    const file = path.join(folder, name)
    mkdirSync(path.dirname(file), { recursive: true })
    writeFileSync(file, content)
  }
  for (const [name, text] of Object.entries({ 'benchmark.json': JSON.stringify(benchmark), ...files })) put(name, text)
  const putRun = (run: StagedRun) => {
    const own = runFolder(run)
    put(`${own}/run.json`, JSON.stringify(run.record ?? { final_response: 'done' }))
    put(`${own}/transcript.jsonl`, (run.events ?? []).map((event) => `${JSON.stringify(event)}\n`).join(''))
    for (const [name, content] of Object.entries(run.outputs ?? {})) put(`${own}/outputs/${name}`, content)
  }
  for (const run of runs) putRun(run)
  const folders = new Map(
    runs.map((run) => [`${run.eval_id}/${run.configuration}/run-${run.run_number}`, path.join(folder, runFolder(run))]),
  )
  const report = path.join(folder, 'report.html')
  const redactor = getRedactor({})
  const again = async (changed?: StagedRun) => {
    if (changed !== undefined) putRun(changed)
    await writePage({ folder, report, benchmark, prompts: prompts ?? null, folders, redactor, singleFile })
  }
  await again()
  return { folder, report, url: `file://${report}`, again }
}
