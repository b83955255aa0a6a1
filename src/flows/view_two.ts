/** view --compare: two benchmarks on one page, case by case and run by run. */
import path from 'node:path'
import type { PageNote } from '../../schemas/page.ts'
import { UserError } from '../base/error.ts'
import { redactorFor } from '../base/redact.ts'
import { type Letter, type TwoInOne, twoInOne } from '../phases/4-report/page/two.ts'
import { benchmarkIn, type Found, folderOf } from './benchmark_in.ts'
import type { FlowContext } from './context.ts'
import { besideOf } from './page/beside.ts'
import { writePage } from './page/write_page.ts'
import { runKey } from './run_folders.ts'

interface TwoRequest {
  /** As view takes them: a workspace (its newest benchmark), a benchmark, another tool's folder. */
  a: string
  b: string
  singleFile: boolean
}

/** Writes comparisons/<a>-vs-<b>/report.html where the user is; its path, absolute. Both stay as they are. */
export async function viewTwo({ a, b, singleFile }: TwoRequest, context: FlowContext): Promise<string> {
  const folders = { A: await folderOf(a), B: await folderOf(b) }
  if (folders.A === folders.B) {
    throw new UserError(`${a} and ${b} are the same benchmark`, 'give two; `whetstone view` shows one')
  }
  const found = { A: await benchmarkIn(folders.A, context), B: await benchmarkIn(folders.B, context) }
  const made = twoInOne({ ...found.A, name: nameOf(folders.A) }, { ...found.B, name: nameOf(folders.B) })
  if (made === null) throw new UserError(`${a} and ${b}: one of them has no arm to compare`)
  const folder = path.resolve('comparisons', `${path.basename(folders.A)}-vs-${path.basename(folders.B)}`)
  const report = path.join(folder, 'report.html')
  const redactor = redactorFor(context.env)
  const places = placesOf(found, made)
  await writePage({
    folder,
    report,
    benchmark: made.benchmark,
    prompts: { cases: letters.flatMap((letter) => promptsOf(letter, found[letter], made)) },
    folders: places,
    roots: letters.map((letter) => folders[letter]),
    redactor,
    files: new Map(
      letters.flatMap((letter) => [...found[letter].files].map(([id, files]) => [made.caseOf(letter, id), files])),
    ),
    singleFile,
    compared: {
      feedback: letters.flatMap((letter) => notesOf(found[letter], folder)),
      compared: { two: redactor.value(made.two), said: made.said },
    },
  })
  return report
}

/** Where both have something, B has the last word. */
const letters: readonly Letter[] = ['A', 'B']

function nameOf(folder: string): string {
  return path.relative(process.cwd(), folder) || folder
}

function promptsOf(letter: Letter, { prompts }: Found, { caseOf }: TwoInOne) {
  return prompts.cases.map(({ eval_id, prompt }) => ({ eval_id: caseOf(letter, eval_id), prompt }))
}

function placesOf(found: Record<Letter, Found>, { placed }: TwoInOne): Map<string, string> {
  const all = letters.flatMap((letter) => {
    const { benchmark, folders } = found[letter]
    return [...benchmark.runs, ...(benchmark.excluded_runs ?? [])].flatMap((run) => {
      const own = folders.get(runKey(run))
      return own === undefined ? [] : [[runKey(placed(letter, run)), own] as const]
    })
  })
  return new Map(all)
}

/** A note bears the name of its run's or case's folder with / as -, seen from the page. */
function notesOf({ folder, folders, benchmark }: Found, page: string): PageNote[] {
  const name = (from: string, run: string) => path.relative(from, run).split(path.sep).join('-')
  const places = [...benchmark.runs, ...(benchmark.excluded_runs ?? [])].flatMap((run) => {
    const own = folders.get(runKey(run))
    const at = own?.lastIndexOf(`${path.sep}${run.configuration}`) ?? -1
    return own === undefined ? [] : at < 0 ? [own] : [own, own.slice(0, at)]
  })
  const names = new Map(places.map((place) => [name(folder, place), name(page, place)]))
  return besideOf(folder).feedback.flatMap((note) => {
    const run_id = names.get(note.run_id)
    return run_id === undefined ? [] : { ...note, run_id }
  })
}
