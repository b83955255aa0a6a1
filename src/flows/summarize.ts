/** From what is on disk of a benchmark to benchmark.json, benchmark.md and report.html. */
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { z } from 'zod'
import { type Benchmark, benchmark as benchmarkSchema } from '../../schemas/benchmark.ts'
import type { Stop } from '../../schemas/limits.ts'
import type { Plan } from '../../schemas/plan.ts'
import { writeAtomic } from '../base/durable.ts'
import { codeOf, IncompleteError, messageOf } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { readJson } from '../base/json.ts'
import { redactorFor } from '../base/redact.ts'
import { isShortage } from '../base/shortage.ts'
import { aggregate } from '../phases/4-report/aggregate.ts'
import type { AggregateInput } from '../phases/4-report/input.ts'
import { toMarkdown } from '../phases/4-report/markdown.ts'
import type { Prompts } from '../phases/4-report/page/cases.ts'
import { readAttempts } from '../store/attempts.ts'
import { writeBenchmark } from '../store/benchmark_file.ts'
import type { Damage } from '../store/damage.ts'
import { type BenchmarkPaths, benchmarkPaths } from '../store/paths.ts'
import type { CountedRun } from '../store/store.ts'
import { withAnalystNotes } from './analyst_notes.ts'
import type { LaidRun } from './audited.ts'
import { collectionOf, knownNoise, writeCalibration } from './calibrations.ts'
import type { FlowContext } from './context.ts'
import { indexRootsAbove } from './index_above.ts'
import type { DetailsAhead } from './page/details_ahead.ts'
import { readResults, readResultsAhead } from './results.ts'
import { RunFolders } from './run_folders.ts'
import { trustOf } from './trust.ts'

export interface Summarized {
  /** The benchmark folder, absolute. */
  folder: string
  benchmark: Benchmark
  /** Where the reports were written. */
  paths: Pick<BenchmarkPaths, 'benchmark' | 'markdown' | 'report'>
  /** Whether the page was made. */
  page: boolean
  /** The folder of each run, absolute, by runKey. */
  folders: ReadonlyMap<string, string>
  /** What a page shows of the cases besides. */
  prompts: Prompts
  /** Of a calibration: what later benchmarks read of it. */
  calibration?: string
  /** Where the same lies in another dialect; absent: not asked for. */
  exported?: string
  /** What of feedback.json can't be read and is left out; absent: nothing, or benchmark.json says so. */
  unread?: Damage
  /** Of a grading again: what was not overwritten, since the judge decided nothing; absent: there is none. */
  kept?: Kept
}

/** Runs that keep their earlier grading, the judge that failed on them, and what it first failed of. */
export interface Kept {
  runs: number
  judge: string
  reason: string
}

export interface BenchResult extends Summarized {
  plan: Plan
}

export interface SoFar {
  /** What ended it before all runs were made; not given: what the last benchmark.json says, as long as runs are missing. */
  stop?: Stop | null
  /** What this process wrote itself and need not read again, by run id. */
  known?: ReadonlyMap<string, LaidRun>
  /** True: the files of very many runs are read in a thread; it takes memory that whoever made the runs has none left for. */
  ahead?: boolean
  /** Of what is known, what the page shows, packed already. */
  details?: DetailsAhead | null
  /** True: until all reports are written the benchmark is not complete, so that the same bench goes on in it. Only for whoever made its runs. */
  marked?: boolean
  /** False: no page, and none of before is left, which would tell another tale. */
  page?: boolean
}

/** Reads all runs of the plan, aggregates and writes the reports. */
export async function summarize(
  folder: string,
  plan: Plan,
  context: FlowContext,
  soFar: SoFar = {},
): Promise<BenchResult> {
  const redactor = redactorFor(context.env)
  const { benchmark, folders } = await benchmarkNow(folder, plan, context, soFar)
  const paths = benchmarkPaths(folder)
  const isNoise = collectionOf(plan) === 'calibrations'
  const { page = true, details = null, known = new Map(), marked = false } = soFar
  const prompts = { cases: redactor.value(plan.cases) }
  const reports = async () => {
    await writeBenchmark(paths.benchmark, benchmark)
    if (isNoise) await writeCalibration(folder, plan, benchmark)
    await writeAtomic(paths.markdown, toMarkdown(benchmark))
  }
  await untilWhole({ folder, mark: marked ? paths.reporting : null }, async () => {
    const written = reports()
    written.catch(() => {}) // looked at below
    try {
      if (page) {
        const { caseFiles } = await import('./page/case_files.ts')
        const { writePage } = await import('./page/write_page.ts')
        const files = await caseFiles(plan.cases)
        const made = { plan, laid: known }
        const asked = { folder, report: paths.report, benchmark, prompts, folders, redactor, files, made, details }
        await writePage({ ...asked, written })
      } else await rm(paths.report, { force: true })
    } finally {
      await written
    }
  })
  if (indexRootsAbove(folder).length > 0) {
    const { renewIndexAbove } = await import('./index_now.ts')
    await renewIndexAbove(folder, benchmark, context)
  }
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

/**
 * Writes the reports, under a mark that stays where they are not all written, be it that this was killed. Throws IncompleteError where the
 * machine is short of something.
 */
async function untilWhole(
  { folder, mark }: { folder: string; mark: string | null },
  write: () => Promise<void>,
): Promise<void> {
  try {
    if (mark !== null) {
      rmSync(mark, { force: true, recursive: true }) // a link under this name leads elsewhere
      writeFileSync(mark, '', { flag: 'wx' })
    }
    await write()
    if (mark !== null) rmSync(mark, { force: true })
  } catch (error) {
    if (!isShortage(error) || codeOf(error) === 'EROFS') throw error
    throw new IncompleteError(
      `${folder}: ${messageOf(error)}; not all of its reports were written`,
      'free what is short (df -h, ulimit -a); then the same command writes them, and nothing is run again',
    )
  }
}

/** What summarize writes, in memory: it only reads, so that a page can be asked for while the runs are made. */
export async function benchmarkNow(
  folder: string,
  plan: Plan,
  context: FlowContext,
  { stop, known, ahead = false }: SoFar = {},
): Promise<Pick<Summarized, 'benchmark' | 'folders'>> {
  const asked = { folder, plan, known }
  const results = ahead ? await readResultsAhead(asked, context) : readResults(asked, context)
  const noise = await knownNoise(folder, plan, context)
  const { judge, ...trust } = await trustOf(folder, plan, context)
  const made = aggregate({
    ...aggregateInput(plan, results),
    statistics: { noise, judge },
    otherAttempts: readAttempts(folder, (damage) =>
      context.emit({ type: 'artefact_damaged', ...damage, mended: 'left out; what that attempt cost is in no sum' }),
    ),
  })
  const whole = redactorFor(context.env).value(withAnalystNotes({ ...made, ...trust }, folder, context))
  const benchmark = whole.complete === true ? whole : await withStop(whole, stop, folder)
  return { benchmark, folders: new RunFolders(folder, plan.runs) }
}

/** What the aggregator gets of a plan and of what is on disk. */
export function aggregateInput(plan: Plan, results: ReadonlyMap<string, CountedRun>): AggregateInput {
  return {
    metadata: {
      skillName: plan.skill.name,
      skillPath: plan.skill.path,
      executorModel: executorModel(plan, results),
      analyzerModel: 'rules',
      timestamp: plan.created_at,
      runsPerConfiguration: plan.options.runs,
      engine: plan.options.engine.name,
      engineVersion: used(results, ({ version }) => version),
      judge:
        plan.options.judge === null
          ? null
          : [plan.options.judge.name, plan.options.judge.model].filter(Boolean).join(':'),
    },
    candidate: plan.candidate_configuration,
    baseline: plan.baseline_configuration === plan.candidate_configuration ? null : plan.baseline_configuration,
    cases: plan.cases,
    ...(plan.chosen && { chosen: plan.chosen }),
    planned: plan.runs,
    results,
    onTimeout: plan.options.on_timeout,
    maxRuns: plan.options.until === undefined ? null : plan.options.runs,
  }
}

/** Only of a benchmark that is not whole: one that is was not stopped, and what the last one says is long to read. */
async function withStop(made: Benchmark, said: SoFar['stop'], folder: string): Promise<Benchmark> {
  const stop = said === undefined ? await lastStop(benchmarkPaths(folder).benchmark) : said
  return stop === null ? made : { ...made, metadata: { ...made.metadata, stopped: stop } }
}

/** What ended a benchmark, and whether all of it is there: its thousands of runs need no check for that. */
const ending = z.looseObject({
  metadata: benchmarkSchema.shape.metadata.pick({ stopped: true }),
  complete: z.boolean().optional(),
})

function lastStop(file: string): Promise<Stop | null> {
  return readJson(ending, file).then(
    ({ metadata }) => metadata.stopped ?? null,
    () => null,
  )
}

/** Whether a benchmark folder holds a whole benchmark.json, and its other reports were written with it. */
export async function isComplete(folder: string): Promise<boolean> {
  const { benchmark: file, reporting } = benchmarkPaths(folder)
  if (!(await exists(file)) || existsSync(reporting)) return false
  return readJson(ending, file).then(
    (benchmark) => benchmark.complete === true,
    () => false,
  )
}

/** The models really used, else the one asked for. */
function executorModel(plan: Plan, results: ReadonlyMap<string, CountedRun>): string {
  const { model, name } = plan.options.engine
  return used(results, (engine) => engine.model) ?? model ?? `${name} default`
}

/** Each one that some run had, in order; null: none is known. */
function used(
  results: ReadonlyMap<string, CountedRun>,
  of: (engine: CountedRun['record']['engine']) => string | null,
): string | null {
  const found = new Set([...results.values()].flatMap(({ record }) => of(record.engine) ?? []))
  return found.size > 0 ? [...found].sort().join(', ') : null
}
