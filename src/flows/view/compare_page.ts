/** view --compare: shows two benchmarks on one page, case by case and run by run. */
import path from 'node:path'
import type { PageNote } from '../../../schemas/page.ts'
import { UserError } from '../../base/errors/error.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import {
  type ComparedBenchmarks,
  mergeBenchmarks,
  type SideLetter,
} from '../../phases/4-report/page/merge_benchmarks.ts'
import { runFolderKey } from '../../store/run_folder_map.ts'
import type { FlowContext } from '../flow_context.ts'
import { readBenchmarkExtras } from '../page/data/benchmark_extras.ts'
import { writePage } from '../page/write_page.ts'
import { type BenchmarkContents, loadBenchmark, resolveBenchmarkFolder } from '../report/read_benchmark.ts'

interface TwoRequest {
  /** Each as in view: a workspace (its newest benchmark), a benchmark, another tool's folder. */
  a: string
  b: string
  singleFile: boolean
}

/** Writes comparisons/<a>-vs-<b>/report.html in the working directory; returns its path, absolute. Changes neither benchmark. */
export async function viewTwo({ a, b, singleFile }: TwoRequest, context: FlowContext): Promise<string> {
  const folders = { A: await resolveBenchmarkFolder(a), B: await resolveBenchmarkFolder(b) }
  if (folders.A === folders.B) {
    throw new UserError(`${a} and ${b} are the same benchmark`, 'pass two different ones')
  }
  const found = { A: await loadBenchmark(folders.A, context), B: await loadBenchmark(folders.B, context) }
  const made = mergeBenchmarks(
    { ...found.A, name: displayFolder(folders.A) },
    { ...found.B, name: displayFolder(folders.B) },
  )
  if (made === null) throw new UserError(`${a} and ${b}: one of them has no configuration to compare`)
  const folder = path.resolve('comparisons', `${path.basename(folders.A)}-vs-${path.basename(folders.B)}`)
  const report = path.join(folder, 'report.html')
  const redactor = getRedactor(context.env)
  const places = locateRuns(found, made)
  await writePage({
    folder,
    report,
    benchmark: made.benchmark,
    prompts: { cases: letters.flatMap((letter) => listLetterPrompts(letter, found[letter], made)) },
    folders: places,
    roots: letters.map((letter) => folders[letter]),
    redactor,
    files: new Map(
      letters.flatMap((letter) => [...found[letter].files].map(([id, files]) => [made.caseOf(letter, id), files])),
    ),
    singleFile,
    compared: {
      feedback: letters.flatMap((letter) => translateNotes(found[letter], folder)),
      compared: { two: redactor.value(made.two), said: made.said },
    },
  })
  return report
}

/** B overrides A where both have a value. */
const letters: readonly SideLetter[] = ['A', 'B']

function displayFolder(folder: string): string {
  return path.relative(process.cwd(), folder) || folder
}

function listLetterPrompts(letter: SideLetter, { prompts }: BenchmarkContents, { caseOf }: ComparedBenchmarks) {
  return prompts.cases.map(({ eval_id, prompt }) => ({ eval_id: caseOf(letter, eval_id), prompt }))
}

function locateRuns(found: Record<SideLetter, BenchmarkContents>, { placed }: ComparedBenchmarks): Map<string, string> {
  const all = letters.flatMap((letter) => {
    const { benchmark, folders } = found[letter]
    return [...benchmark.runs, ...(benchmark.excluded_runs ?? [])].flatMap((run) => {
      const own = folders.get(runFolderKey(run))
      return own === undefined ? [] : [[runFolderKey(placed(letter, run)), own] as const]
    })
  })
  return new Map(all)
}

/** Renames notes: their name is the path of the run's or case's folder from the page, with - for /. */
function translateNotes({ folder, folders, benchmark }: BenchmarkContents, page: string): PageNote[] {
  const name = (from: string, run: string) => path.relative(from, run).split(path.sep).join('-')
  const places = [...benchmark.runs, ...(benchmark.excluded_runs ?? [])].flatMap((run) => {
    const own = folders.get(runFolderKey(run))
    const at = own?.lastIndexOf(`${path.sep}${run.configuration}`) ?? -1
    return own === undefined ? [] : at < 0 ? [own] : [own, own.slice(0, at)]
  })
  const names = new Map(places.map((place) => [name(folder, place), name(page, place)]))
  return readBenchmarkExtras(folder).feedback.flatMap((note) => {
    const run_id = names.get(note.run_id)
    return run_id === undefined ? [] : { ...note, run_id }
  })
}
