/** Summarizes a benchmark on disk in benchmark.json, benchmark.md and report.html. */
import { rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import type { Stop } from '../../../schemas/limits.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { errnoCode, errorMessage, IncompleteError } from '../../base/errors/error.ts'
import { writeAtomic } from '../../base/fs/durable_files.ts'
import { isShortage } from '../../base/process/resource_shortage.ts'
import { getRedactor } from '../../base/secrets/redact.ts'
import { aggregate } from '../../phases/4-report/benchmark/aggregate.ts'
import type { AggregateInput } from '../../phases/4-report/benchmark/aggregate_input.ts'
import { mostNotes } from '../../phases/4-report/notes/rules/attempts.ts'
import type { CasePrompts } from '../../phases/4-report/page/cases.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { toMarkdown } from '../../phases/4-report/text/markdown.ts'
import type { Damage } from '../../store/artefacts/damage.ts'
import { readOlderRuns } from '../../store/artefacts/older_runs.ts'
import { readAttempts } from '../../store/artefacts/spending_log.ts'
import { type BenchmarkPaths, benchmarkPaths } from '../../store/paths.ts'
import { mapRunFolders } from '../../store/run_folders.ts'
import { isOwnResult } from '../../store/signing/own_runs.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { type CountedRun, isOwnPlan, readOwnPlan, writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { loadIndexSteps } from '../index_steps.ts'
import { assessJudgeReliability } from '../judge_reliability.ts'
import { readCaseFiles } from '../page/data/case_files.ts'
import { writePage } from '../page/write_page.ts'
import { withAnalystNotes } from './analyst_notes.ts'
import { readLastStop, readResults } from './benchmark_ending.ts'
import { chooseCollection, readKnownNoise, writeCalibration } from './calibrations.ts'

export interface SummarizedBenchmark {
  /** The benchmark folder, absolute. */
  folder: string
  benchmark: Benchmark
  paths: Pick<BenchmarkPaths, 'benchmark' | 'markdown' | 'report'>
  page: boolean
  /** Each run's folder, absolute, by runKey. */
  folders: ReadonlyMap<string, string>
  /** Case texts that the page shows. */
  prompts: CasePrompts
  /** For a calibration: the file that later benchmarks read. */
  calibration?: string
  /** The folder of the other dialect's files; absent: not requested. */
  exported?: string
  /** Unreadable part of feedback.json; absent: none, or benchmark.json mentions it. */
  unread?: Damage
  /** For a regrading: gradings kept because the judge decided nothing; absent: none. */
  kept?: KeptGradings
}

/** Runs that keep their earlier grading, the judge that failed, and its first failure. */
export interface KeptGradings {
  runs: number
  judge: string
  reason: string
}

export interface BenchResult extends SummarizedBenchmark {
  plan: Plan
}

export interface SummarizeOptions {
  /** What stopped it before all runs; absent: taken from the last benchmark.json while runs are missing. */
  stop?: Stop | null
  /** True: incomplete until all reports are written, so that the same bench resumes it. Only for the flow that executes the runs. */
  marked?: boolean
  /** False: writes no page, and removes an existing one, which would be outdated. */
  page?: boolean
}

/** Reads all runs of the plan, aggregates and writes the reports. */
export async function summarizeBenchmark(
  folder: string,
  plan: Plan,
  context: FlowContext,
  soFar: SummarizeOptions = {},
): Promise<BenchResult> {
  const redactor = getRedactor(context.env)
  const { benchmark, folders } = await aggregateBenchmark(folder, plan, context, soFar)
  const paths = benchmarkPaths(folder)
  const isNoise = chooseCollection(plan) === 'calibrations'
  const { page = true, marked = false } = soFar
  const prompts = { cases: redactor.value(plan.cases) }
  await writeMarkedReports({ folder, mark: marked ? paths.reporting : null }, async () => {
    await writeArtefact(benchmarkSchema, paths.benchmark, benchmark)
    if (isNoise) await writeCalibration(folder, plan, { benchmark, signer: findSigner(context.env) })
    await writeAtomic(paths.markdown, toMarkdown(benchmark))
    if (!page) return await rm(paths.report, { force: true })
    const files = await readCaseFiles(plan.cases)
    await writePage({ folder, report: paths.report, benchmark, prompts, folders, redactor, files })
  })
  const index = await loadIndexSteps()
  await index?.refreshParentIndexes(folder, benchmark, context)
  context.emit({
    type: 'benchmark_written',
    folder,
    benchmark: paths.benchmark,
    complete: benchmark.complete ?? false,
    used: benchmark.counts?.used ?? 0,
    planned: benchmark.counts?.planned ?? plan.runs.length,
  })
  return { folder, plan, benchmark, paths, page, folders, prompts, ...(isNoise && { calibration: paths.calibration }) }
}

/** Writes the reports under a mark that stays if they are incomplete, even after a kill. Throws IncompleteError on a resource shortage. */
async function writeMarkedReports(
  { folder, mark }: { folder: string; mark: string | null },
  write: () => Promise<void>,
): Promise<void> {
  try {
    if (mark !== null) {
      rmSync(mark, { force: true, recursive: true }) // a link of this name leads elsewhere
      writeFileSync(mark, '', { flag: 'wx' })
    }
    await write()
    if (mark !== null) rmSync(mark, { force: true })
  } catch (error) {
    if (!isShortage(error) || errnoCode(error) === 'EROFS') throw error
    throw new IncompleteError(
      `${folder}: ${errorMessage(error)}; not all of its reports were written`,
      'free the missing resource (df -h, ulimit -a); then the same command writes them, and nothing is run again',
    )
  }
}

/** The summary in memory: it only reads, so that a page is available during the runs. */
export async function aggregateBenchmark(
  folder: string,
  plan: Plan,
  context: FlowContext,
  { stop }: SummarizeOptions = {},
): Promise<Pick<SummarizedBenchmark, 'benchmark' | 'folders'>> {
  const results = readResults(folder, plan, context)
  const noise = await readKnownNoise(folder, plan, context)
  const { judge = null, ...trust } = await assessJudgeReliability(folder, plan, context)
  const made = aggregate({
    ...toAggregateInput(plan, results),
    statistics: { noise, judge, ...(plan.options.margin !== undefined && { margin: plan.options.margin }) },
    olderRuns: readOlderRuns(folder, (damage) =>
      context.emit({
        type: 'artefact_damaged',
        ...damage,
        mended: 'left out; bench again, with --fresh to reuse nothing',
      }),
    ),
    otherAttempts: readAttempts(folder, (damage) =>
      context.emit({ type: 'artefact_damaged', ...damage, mended: 'left out; what that attempt cost is in no sum' }),
    ),
  })
  const own = sayNotOwn({ ...made, ...trust }, countNotOwn(folder, plan, { results, context }))
  const whole = getRedactor(context.env).value(withAnalystNotes(own, folder, context))
  const benchmark = whole.complete === true ? whole : await withStop(whole, stop, folder)
  return { benchmark, folders: mapRunFolders(folder, plan.runs) }
}

/** How many of the results on disk this user did not sign; null: none, or all are recorded sessions, which nobody signs. */
function countNotOwn(
  folder: string,
  plan: Plan,
  { results, context }: { results: ReadonlyMap<string, unknown>; context: FlowContext },
): Benchmark['metadata']['not_own'] | null {
  if (plan.observational || results.size === 0) return null
  const signer = findSigner(context.env)
  const isOwn = isOwnPlan(folder, signer)
  const runs = [...results.keys()].filter((id) => !isOwn || !isOwnResult(folder, id, signer)).length
  return runs === 0 ? null : { runs, of: results.size }
}

function sayNotOwn(made: Benchmark, notOwn: ReturnType<typeof countNotOwn>): Benchmark {
  if (notOwn === null || notOwn === undefined) return made
  const { runs, of } = notOwn
  const note = `${runs} of ${formatPlural(of, 'run')} lack your signature: they were run or changed by somebody else, on another machine or by an earlier version of Whetstone.`
  return { ...made, metadata: { ...made.metadata, not_own: notOwn }, notes: [note, ...made.notes].slice(0, mostNotes) }
}

/** The benchmark of a folder, computed from its runs; null: not all of it is this user's. */
export async function readOwnBenchmark(folder: string, context: FlowContext): Promise<Benchmark | null> {
  const plan = await readOwnPlan(folder, findSigner(context.env))
  if (plan === null) return null
  const { benchmark } = await aggregateBenchmark(folder, plan, context)
  return benchmark.metadata.not_own === undefined ? benchmark : null
}

/** The aggregator's input, from a plan and its results. */
export function toAggregateInput(plan: Plan, results: ReadonlyMap<string, CountedRun>): AggregateInput {
  return {
    metadata: {
      skillName: plan.skill.name,
      skillPath: plan.skill.path,
      executorModel: executorModel(plan, results),
      analyzerModel: 'rules',
      timestamp: plan.created_at,
      runsPerConfiguration: plan.options.runs,
      engine: (plan.observational && listUsed(results, ({ name }) => name)) || plan.options.engine.name,
      engineVersion: listUsed(results, ({ version }) => version),
      judge:
        plan.options.judge === null
          ? null
          : [plan.options.judge.name, plan.options.judge.model].filter(Boolean).join(':'),
    },
    candidate: plan.candidate_configuration,
    baseline: plan.baseline_configuration === plan.candidate_configuration ? null : plan.baseline_configuration,
    cases: plan.cases,
    ...(plan.observational && { observational: true }),
    ...(plan.chosen && { chosen: plan.chosen }),
    ...(plan.baseline_note !== undefined && { baselineNote: plan.baseline_note }),
    planned: plan.runs,
    results,
    onTimeout: plan.options.on_timeout,
    maxRuns: plan.options.until === undefined ? null : plan.options.runs,
  }
}

/** Only for an incomplete benchmark: a complete one was not stopped, and the last report is slow to read. */
async function withStop(made: Benchmark, said: SummarizeOptions['stop'], folder: string): Promise<Benchmark> {
  const stop = said === undefined ? await readLastStop(folder) : said
  return stop === null ? made : { ...made, metadata: { ...made.metadata, stopped: stop } }
}

/** The models actually used, else the requested one. */
function executorModel(plan: Plan, results: ReadonlyMap<string, CountedRun>): string {
  const { model, name } = plan.options.engine
  return listUsed(results, (engine) => engine.model) ?? model ?? `${name} default`
}

/** The distinct values of all runs, in order; null: none is known. */
function listUsed(
  results: ReadonlyMap<string, CountedRun>,
  of: (engine: CountedRun['record']['engine']) => string | null,
): string | null {
  const found = new Set([...results.values()].flatMap(({ record }) => of(record.engine) ?? []))
  return found.size > 0 ? [...found].sort().join(', ') : null
}
