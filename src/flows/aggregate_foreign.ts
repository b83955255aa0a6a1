/** Aggregates a folder of another tool: what was found becomes the aggregator's input, its reports lie beside it. */
import path from 'node:path'
import { type Benchmark, benchmark as benchmarkSchema } from '../../schemas/benchmark.ts'
import { writeAtomic } from '../base/durable.ts'
import { exists } from '../base/files.ts'
import { redactorFor } from '../base/redact.ts'
import { aggregate } from '../phases/4-report/aggregate.ts'
import { committedNotes } from '../phases/4-report/committed.ts'
import type { AggregateInput, PlannedRun } from '../phases/4-report/input.ts'
import { toMarkdown } from '../phases/4-report/markdown.ts'
import { plural } from '../phases/4-report/words.ts'
import type { Committed } from '../store/foreign/committed.ts'
import { type ArmsAsked, type Foreign, nameOf, readForeign } from '../store/foreign/read_foreign.ts'
import { type BenchmarkPaths, benchmarkPaths } from '../store/paths.ts'
import { writeArtefact } from '../store/store.ts'
import type { AggregateRequest } from './aggregate.ts'
import type { FlowContext } from './context.ts'
import { unreadNotes } from './page/notes.ts'
import { writePage } from './page/write_page.ts'
import { runKey } from './run_folders.ts'
import type { Summarized } from './summarize.ts'

export async function aggregateForeign(
  folder: string,
  request: AggregateRequest,
  context: FlowContext,
): Promise<Summarized> {
  const { benchmark, folders, prompts, committed } = await foreignNow(folder, request, context)
  const redactor = redactorFor(context.env)
  const paths = await freePaths(folder, committed, request.force)
  await writeArtefact(benchmarkSchema, paths.benchmark, benchmark)
  await writeAtomic(paths.markdown, toMarkdown(benchmark))
  const page = request.page ?? true
  if (page) await writePage({ folder, report: paths.report, benchmark, prompts, folders, redactor })
  const [used, planned] = [benchmark.counts?.used ?? 0, benchmark.counts?.planned ?? 0]
  const complete = benchmark.complete ?? false
  context.emit({ type: 'benchmark_written', folder, benchmark: paths.benchmark, complete, used, planned })
  return { folder, benchmark, paths, page, folders, prompts }
}

interface ForeignNow extends Pick<Summarized, 'benchmark' | 'folders'> {
  prompts: Foreign
  committed: Committed | null
}

/** What aggregateForeign writes, in memory: it only reads. Throws UserError where there are no runs. */
export async function foreignNow(folder: string, asked: ArmsAsked, context: FlowContext): Promise<ForeignNow> {
  const read = await readForeign(folder, asked)
  const unread = unreadNotes(folder)
  const problems = unread === null ? [] : [{ file: path.basename(unread.file), message: unread.message }]
  const found = { ...read, problems: [...read.problems, ...problems] }
  const redactor = redactorFor(context.env)
  const benchmark = redactor.value(withRemarks(aggregate(inputOf(folder, found, context)), found))
  const all = found.cases.flatMap(({ eval_id, runs }) => runs.map((run) => ({ ...run, eval_id })))
  const folders = new Map(all.map((run) => [runKey(run), path.join(folder, run.folder)]))
  return { benchmark, folders, prompts: redactor.value(found), committed: found.committed }
}

function inputOf(folder: string, { cases, arms, committed }: Foreign, context: FlowContext): AggregateInput {
  const names = [arms.candidate, arms.baseline]
  const runs = cases
    .flatMap((one) => one.runs.map((run) => ({ ...run, one })))
    .filter((run) => names.includes(run.configuration))
  const id = (run: (typeof runs)[number]) => `${run.one.eval_id}/${run.configuration}/run-${run.run_number}`
  const planned: PlannedRun[] = runs.map((run) => ({
    run_id: id(run),
    eval_id: run.one.eval_id,
    eval_name: run.one.eval_name,
    configuration: run.configuration,
    run_number: run.run_number,
    missing: run.missing,
  }))
  const models = new Set(runs.flatMap((run) => run.result?.record?.engine.model ?? []))
  return {
    metadata: {
      skillName: committed?.skillName ?? nameOf(folder),
      skillPath: committed?.skillPath ?? 'unknown',
      executorModel: [...models].sort().join(', ') || (committed?.model ?? 'unknown'),
      analyzerModel: 'rules',
      timestamp: committed?.timestamp ?? context.now().toISOString(),
      runsPerConfiguration: Math.max(...cases.flatMap((one) => names.map((name) => countOf(one.runs, name)))),
    },
    candidate: arms.candidate,
    baseline: arms.baseline,
    cases: cases.map(({ eval_id, eval_key, eval_name }) => ({ eval_id, eval_key, eval_name, cannot_run: null })),
    planned,
    results: new Map(runs.flatMap((run) => (run.result === null ? [] : [[id(run), run.result] as const]))),
    onTimeout: 'fail',
  }
}

function countOf(runs: readonly { configuration: string }[], name: string | null): number {
  return runs.filter((run) => run.configuration === name).length
}

/** Adds what the numbers alone do not say: what was left out, what was chosen, where an older benchmark.json differs. */
function withRemarks(made: Benchmark, { arms, committed, copies, problems, cases }: Foreign): Benchmark {
  const runs = cases.flatMap((one) => one.runs)
  const reference = Object.fromEntries(
    [arms.candidate, arms.baseline].flatMap((name) =>
      name === null
        ? []
        : [
            [
              name,
              runs.flatMap((run) => (run.configuration === name && run.result?.grading ? run.reference : [])),
            ] as const,
          ],
    ),
  )
  const notes = [
    ...problems.map(({ file, message }) => `Left out: ${file}: ${message}`),
    ...(arms.note === null ? [] : [arms.note]),
    ...arms.others.map(
      (name) =>
        `The configuration ${name} (${plural(countOf(runs, name), 'run')}) is in no number: two are compared, ${arms.candidate} and ${arms.baseline}`,
    ),
    ...(copies > 0
      ? [`${plural(copies, 'grading')} ${copies === 1 ? 'lies' : 'lie'} here twice; each run is counted once`]
      : []),
    ...(committed === null || committed.ours ? [] : committedNotes(committed, made, reference)),
    ...made.notes,
  ]
  const complete = made.complete === true && problems.length === 0
  return { ...made, notes, complete, ...(problems.length > 0 ? { problems } : {}) }
}

/** The usual names; with the prefix whetstone- where another tool's file has one of them, unless forced. */
async function freePaths(folder: string, committed: Committed | null, force: boolean): Promise<BenchmarkPaths> {
  const paths = benchmarkPaths(folder)
  if (force || committed?.ours === true) return paths
  const taken = await Promise.all([paths.benchmark, paths.markdown, paths.report].map(exists))
  if (!taken.includes(true)) return paths
  const beside = (file: string) => path.join(folder, `whetstone-${path.basename(file)}`)
  return {
    ...paths,
    benchmark: beside(paths.benchmark),
    markdown: beside(paths.markdown),
    report: beside(paths.report),
  }
}
