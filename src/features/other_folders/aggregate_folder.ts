/** Aggregates another tool's folder: converts its runs to the aggregator's input, and writes the reports into it. */
import path from 'node:path'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { pathExists } from '../../base/fs/files.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { findUnreadNotes, readFeedbackNotes } from '../../flows/page/data/notes.ts'
import { benchmarkFolderName } from '../../flows/page/workspace_page.ts'
import { writePage } from '../../flows/page/write_page.ts'
import type { ArmsAsked, FolderReader, FolderRequest, ReadBenchmark } from '../../flows/report/folder_reader.ts'
import type { SummarizedBenchmark } from '../../flows/report/summarize.ts'
import { aggregate } from '../../phases/4-report/benchmark/aggregate.ts'
import type { AggregateInput, PlannedRun } from '../../phases/4-report/benchmark/aggregate_input.ts'
import { mostNotes } from '../../phases/4-report/notes/rules/attempts.ts'
import { formatPlural, joinNames } from '../../phases/4-report/text/format.ts'
import { toMarkdown } from '../../phases/4-report/text/markdown.ts'
import { type BenchmarkPaths, benchmarkPaths } from '../../store/paths.ts'
import { runFolderKey } from '../../store/run_folders.ts'
import { writeArtefact } from '../../store/store.ts'
import { type CommittedBenchmark, committedNotes } from './committed.ts'
import { type ForeignBenchmark, readForeign } from './read_foreign.ts'
import { doubts } from './read_grading.ts'
import { findRuns, type RunFound, walkTree } from './tree.ts'

async function aggregateFolder(
  folder: string,
  request: FolderRequest,
  context: FlowContext,
): Promise<SummarizedBenchmark> {
  const { benchmark, folders, prompts, committed } = await readFolder(folder, request, context)
  const redactor = getRedactor(context.env)
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

/** The result of aggregateFolder in memory: it only reads. Throws UserError where there are no runs. */
async function readFolder(
  folder: string,
  asked: ArmsAsked,
  context: FlowContext,
): Promise<ReadBenchmark & { committed: CommittedBenchmark | null }> {
  const read = await readForeign(folder, asked)
  const unread = findUnreadNotes(folder)
  const problems = unread === null ? [] : [{ file: path.basename(unread.file), message: unread.message }]
  const found = { ...read, problems: [...read.problems, ...problems] }
  const redactor = getRedactor(context.env)
  const benchmark = redactor.value(
    withRemarks(aggregate(toForeignAggregateInput(folder, found, context)), found, folder),
  )
  const all = found.cases.flatMap(({ eval_id, runs }) => runs.map((run) => ({ ...run, eval_id })))
  const folders = new Map(all.map((run) => [runFolderKey(run), path.join(folder, run.folder)]))
  return { benchmark, folders, prompts: redactor.value(found), committed: found.committed }
}

async function hasGradedRuns(folder: string): Promise<boolean> {
  const { runs } = await findRuns(await walkTree(folder))
  return runs.some((run) => run.result?.grading)
}

export const folderReader: FolderReader = { aggregateFolder, readFolder, hasGradedRuns }

function toForeignAggregateInput(
  folder: string,
  { cases, arms, committed }: ForeignBenchmark,
  context: FlowContext,
): AggregateInput {
  const names = [arms.candidate, arms.baseline]
  const all = cases.flatMap((one) => one.runs.map((run) => ({ ...run, one })))
  const runs = all.filter((run) => names.includes(run.configuration))
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
      skillName: committed?.skillName ?? benchmarkFolderName(folder),
      skillPath: committed?.skillPath ?? 'unknown',
      executorModel: [...models].sort().join(', ') || (committed?.model ?? 'unknown'),
      analyzerModel: 'rules',
      timestamp: committed?.timestamp ?? context.now().toISOString(),
      runsPerConfiguration: Math.max(
        ...cases.flatMap((one) => names.map((name) => countConfigurationRuns(one.runs, name))),
      ),
    },
    candidate: arms.candidate,
    baseline: arms.baseline,
    cases: cases.map(({ eval_id, eval_key, eval_name }) => ({ eval_id, eval_key, eval_name, cannot_run: null })),
    planned,
    results: new Map(runs.flatMap((run) => (run.result === null ? [] : [[id(run), run.result] as const]))),
    onTimeout: 'fail',
  }
}

/** Adds the notes on the folder, and the files that were left out. */
function withRemarks(made: Benchmark, found: ForeignBenchmark, folder: string): Benchmark {
  const { problems } = found
  const complete = made.complete === true && problems.length === 0
  return { ...made, notes: addFolderNotes(made, found, folder), complete, ...(problems.length > 0 ? { problems } : {}) }
}

/** The usual names; with the prefix whetstone- if another tool's file has one of them, unless forced. */
async function freePaths(
  folder: string,
  committed: CommittedBenchmark | null,
  force: boolean,
): Promise<BenchmarkPaths> {
  const paths = benchmarkPaths(folder)
  if (force || committed?.ours === true) return paths
  const taken = await Promise.all([paths.benchmark, paths.markdown, paths.report].map(pathExists))
  if (!taken.includes(true)) return paths
  const beside = (file: string) => path.join(folder, `whetstone-${path.basename(file)}`)
  return {
    ...paths,
    benchmark: beside(paths.benchmark),
    markdown: beside(paths.markdown),
    report: beside(paths.report),
  }
}

/** The notes on the folder before those on its runs, at most six in all: what does not fit is counted. */
function addFolderNotes(made: Benchmark, found: ForeignBenchmark, folder: string): string[] {
  const { arms, problems, cases } = found
  const runs = cases.flatMap((one) => one.runs)
  const remarks = [
    ...doubtNotes(runs),
    ...(arms.note === null ? [] : [arms.note]),
    ...uncountedNotes(runs, arms),
    ...copyNotes(found.copies),
    ...strayFeedbackNotes(folder, runs),
  ]
  const differences = listDifferences(made, found, runs)
  const all = [...problemNotes(problems), ...remarks, ...differences, ...made.notes]
  if (all.length <= mostNotes) return all
  const counted = [...countProblems(problems), ...remarks, ...countDifferences(differences), ...made.notes]
  return counted.slice(0, mostNotes)
}

function countConfigurationRuns(runs: readonly { configuration: string | null }[], name: string | null): number {
  return runs.filter((run) => run.configuration === name).length
}

type Problems = ForeignBenchmark['problems']

function problemNotes(problems: Problems): string[] {
  return problems.map(({ file, message }) => `Left out: ${file}: ${withoutStop(message)}.`)
}

/** One note, with the first file; `problems` of benchmark.json has them all. */
function countProblems(problems: Problems): string[] {
  const [first] = problems
  if (first === undefined || problems.length === 1) return problemNotes(problems)
  const such = `such as ${first.file}: ${withoutStop(first.message)}`
  return [`Left out: ${formatPlural(problems.length, 'file')}, ${such}. All are in benchmark.json, under problems.`]
}

function withoutStop(message: string): string {
  return message.replace(/[.!?]*$/, '')
}

/** One note for each kind of doubt, with the first grading. */
function doubtNotes(runs: readonly RunFound[]): string[] {
  return Object.entries(doubts).flatMap(([kind, describe]) => {
    const found = runs.flatMap(({ folder, fields, result }) => {
      const text = result?.grading ? describe(fields, result.grading) : null
      return text === null ? [] : `${folder}: ${text}`
    })
    return found.length === 0 ? [] : `${kind} in ${formatPlural(found.length, 'grading')}: ${found[0]}.`
  })
}

/** One note on the configurations beyond the two that are compared. */
function uncountedNotes(
  runs: readonly RunFound[],
  { candidate, baseline, others }: ForeignBenchmark['arms'],
): string[] {
  if (others.length === 0) return []
  const names = others.map((name) => `${name} (${formatPlural(countConfigurationRuns(runs, name), 'run')})`)
  const subject = names.length === 1 ? 'The configuration' : 'The configurations'
  const verb = names.length === 1 ? 'is' : 'are'
  return [
    `${subject} ${joinNames(names)} ${verb} excluded from every number: only ${candidate} and ${baseline} are compared.`,
  ]
}

function copyNotes(copies: number): string[] {
  if (copies === 0) return []
  return [`${formatPlural(copies, 'grading')} ${copies === 1 ? 'is' : 'are'} here twice; each run is counted once.`]
}

/** One note, with the first: the page shows a person's note only on its run or case. */
function strayFeedbackNotes(folder: string, runs: readonly RunFound[]): string[] {
  const places = runs.flatMap(({ folder: own, configuration }) => [own, own.split(`/${configuration}`)[0] ?? own])
  const known = new Set(places.map((place) => place.replaceAll('/', '-')))
  const reviews = readFeedbackNotes(path.join(folder, 'feedback.json')).reviews
  const stray = reviews.filter(({ run_id, feedback }) => feedback.trim() !== '' && !known.has(run_id))
  const [first] = stray
  if (first === undefined) return []
  const count = `${formatPlural(stray.length, 'note')} ${stray.length === 1 ? 'is' : 'are'} on no run found here`
  return [`feedback.json: ${count}: ${first.run_id}: ${first.feedback}`]
}

/** Notes on a benchmark.json that another tool wrote. */
function listDifferences(made: Benchmark, { arms, committed }: ForeignBenchmark, runs: readonly RunFound[]): string[] {
  if (committed === null || committed.ours) return []
  const names = [arms.candidate, arms.baseline].filter((name) => name !== null)
  const references = names.map((name) => {
    const graded = runs.filter((run) => run.configuration === name && run.result?.grading)
    return [name, graded.flatMap(({ reference }) => reference)] as const
  })
  return committedNotes(committed, made, Object.fromEntries(references))
}

/** One note: the first difference. */
function countDifferences(differences: readonly string[]): string[] {
  const [first] = differences
  const more = differences.length - 1
  if (first === undefined || more === 0) return [...differences]
  return [`${withoutStop(first)} (${formatPlural(more, 'more mean')} ${more === 1 ? 'differs' : 'differ'}).`]
}
