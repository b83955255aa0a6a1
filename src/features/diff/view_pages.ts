/** Writes the pages of `view --trend` and `view --compare`. */
import path from 'node:path'
import type { InferredOptionTypes } from 'yargs'
import type { PageNote } from '../../../schemas/page.ts'
import { trend as trendSchema } from '../../../schemas/trend.ts'
import { UserError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { showView, type ViewArguments } from '../../cli/commands/view/command.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { readFeedbackNotes } from '../../flows/page/data/notes.ts'
import { writePage } from '../../flows/page/write_page.ts'
import { type BenchmarkContents, loadBenchmark, resolveBenchmarkFolder } from '../../flows/report/read_benchmark.ts'
import { type ViewRequest, view } from '../../flows/view/view.ts'
import { resolveWorkspace } from '../../flows/workspace/resolve_workspace.ts'
import { runFolderKey } from '../../store/run_folders.ts'
import { writeArtefact } from '../../store/store.ts'
import { sectionLines } from './command.ts'
import { type ComparedBenchmarks, mergeBenchmarks, type SideLetter } from './merge_benchmarks.ts'
import { readTrend } from './trend/read_trend.ts'
import { trendHtml } from './trend/trend_page.ts'
import { trendHeadline, trendMarkdown, trendSections } from './trend/trend_text.ts'
import type { viewTwoFlags } from './view_modes.ts'

/** view --trend; returns the exit code. */
export function viewTrend(parsed: ViewArguments): Promise<number> {
  return showView(parsed, (request, context) =>
    view(request, context, async ({ folder }) => ({
      ...(await writeTrend(await resolveWorkspace(path.resolve(folder)), context)),
      summarized: null,
    })),
  )
}

export async function writeTrend(folder: string, context: FlowContext): Promise<{ page: string; text: string }> {
  const trend = await readTrend([folder], context)
  const paths = trendPaths(folder)
  await writeArtefact(trendSchema, paths.trend, trend)
  await writeAtomic(paths.markdown, trendMarkdown(trend))
  await writeAtomic(paths.page, trendHtml(trend))
  return { page: paths.page, text: sectionLines(trendHeadline(trend), trendSections(trend), 80).join('\n') }
}

/** `view --compare A B`, or `view A --compare B`: two benchmarks on one page, case by case and run by run. Returns the exit code. */
export async function viewTwo(parsed: ViewArguments & InferredOptionTypes<typeof viewTwoFlags>): Promise<number> {
  const { folder, compare = [] } = parsed
  const [a, b, ...more] = folder === '.' ? compare : [folder, ...compare]
  if (a === undefined || b === undefined || more.length > 0)
    throw new UserError('--compare needs two benchmarks', 'use whetstone view --compare A B')
  return await showView({ ...parsed, folder: a }, (request, context) =>
    view(request, context, async () => ({ page: await writeTwo([a, b], request, context), summarized: null })),
  )
}

/** Writes comparisons/<a>-vs-<b>/report.html in the working directory; returns its path, absolute. Changes neither benchmark. */
async function writeTwo(
  [a, b]: readonly [string, string],
  { singleFile }: ViewRequest,
  context: FlowContext,
): Promise<string> {
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
  return prompts.cases.map((one) => ({ ...one, eval_id: caseOf(letter, one.eval_id) }))
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
  return readFeedbackNotes(path.join(folder, 'feedback.json')).reviews.flatMap((note) => {
    const run_id = names.get(note.run_id)
    return run_id === undefined ? [] : { ...note, run_id }
  })
}

/** The files that `view` writes about the benchmarks below a folder, absolute. */
function trendPaths(root: string): { trend: string; markdown: string; page: string } {
  return {
    trend: path.join(root, 'trend.json'),
    markdown: path.join(root, 'trend.md'),
    page: path.join(root, 'trend.html'),
  }
}
