/** Reads and writes artefacts: checked when read, atomic when written, a run committed as a whole by one rename. */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { z } from 'zod'
import { type EvalMetadata, evalMetadata } from '../../schemas/eval_metadata.ts'
import { type Grading, grading } from '../../schemas/grading.ts'
import { type Metrics, metrics } from '../../schemas/metrics.ts'
import { type Plan, plan } from '../../schemas/plan.ts'
import { type CountedRecord, countedRecord, type RunRecord, runRecord } from '../../schemas/run.ts'
import type { SuiteCase } from '../../schemas/suite.ts'
import { type Timing, timing } from '../../schemas/timing.ts'
import { syncFiles, syncFolder, writeAllAtomic, writeAtomic } from '../base/durable.ts'
import { codeOf, messageOf, UserError } from '../base/error.ts'
import { exists, plainFiles } from '../base/files.ts'
import { checkAs, readJson } from '../base/json.ts'
import { type OnDamage, readIf } from './damage.ts'
import type { LaidFile } from './lay_run.ts'
import {
  benchmarkPaths,
  type Collection,
  collectionFolder,
  isTimestampName,
  metadataPaths,
  runPaths,
  timestampName,
} from './paths.ts'
import type { RunAhead } from './read_ahead.ts'

/** Everything known of one finished run. */
export interface StoredRun {
  record: RunRecord
  grading: Grading | null
  timing: Timing | null
  metrics: Metrics | null
}

export type CountedRun = Omit<StoredRun, 'record'> & { record: CountedRecord }

/** Writes an artefact after checking it, so that nothing unfit is ever on disk. */
export async function writeArtefact<S extends z.ZodType>(schema: S, file: string, value: z.infer<S>): Promise<void> {
  await writeAtomic(file, artefactText(schema, file, value))
}

function artefactText<S extends z.ZodType>(schema: S, file: string, value: z.infer<S>): string {
  return `${JSON.stringify(checkAs(schema, value, file), null, 2)}\n`
}

/** Makes the folder of a new benchmark; two in the same second get -2, -3, … */
export async function createBenchmark(
  workspace: string,
  moment: Date,
  collection: Collection = 'benchmarks',
): Promise<string> {
  const above = collectionFolder(workspace, collection)
  const base = path.join(above, timestampName(moment))
  try {
    await makeFolder(above)
    for (let number = 1; ; number += 1) {
      const folder = number === 1 ? base : `${base}-${number}`
      const isNew = await mkdir(folder).then(
        () => true,
        (error: unknown) => {
          if (codeOf(error) === 'EEXIST') return false
          throw error
        },
      )
      if (isNew) return folder
    }
  } catch (error) {
    throw new UserError(`workspace ${workspace}: ${messageOf(error)}`, 'choose a writable folder with --workspace')
  }
}

/** Makes a folder and those above it. (A recursive mkdir of Node's tries for ever where a system answers ENOENT, as /proc does.) */
async function makeFolder(folder: string): Promise<void> {
  if (existsSync(folder)) return
  if (path.dirname(folder) !== folder) await makeFolder(path.dirname(folder))
  await mkdir(folder).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error
  })
}

/** Benchmark folders of a workspace, newest first. */
export async function listBenchmarks(workspace: string, collection: Collection = 'benchmarks'): Promise<string[]> {
  const folder = collectionFolder(workspace, collection)
  const names = await readdir(folder).catch(() => [])
  return names
    .filter(isTimestampName)
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => path.join(folder, name))
}

/** The plan of a benchmark folder. Throws UserError where there is none or it is unfit. */
export async function readPlan(folder: string): Promise<Plan> {
  const file = benchmarkPaths(folder).plan
  if (!(await exists(file))) {
    throw new UserError(`${file}: no such file`, 'give a benchmark folder, such as <workspace>/benchmarks/<timestamp>')
  }
  return readJson(plan, file)
}

/** Moves a filled folder to its place: files and folder synced (but for what is `durable`, absolute), then one rename. From then on the run counts. */
export async function commitRun(
  partial: string,
  benchmark: string,
  runId: string,
  durable: ReadonlySet<string> = new Set(),
): Promise<void> {
  const files = plainFiles(partial).filter((file) => !durable.has(file))
  await Promise.all([syncFiles(files), durable.has(partial) ? null : syncFolder(partial)])
  await placeRun(partial, benchmark, runId)
}

/** The same for a folder that is durable already, with all that lies in it. */
export async function placeRun(partial: string, benchmark: string, runId: string): Promise<void> {
  const target = runPaths(benchmark, runId).folder
  if (existsSync(target)) await rm(target, { recursive: true, force: true })
  move(partial, target)
  await syncFolder(path.dirname(target))
}

/** The folder that it is moved to is there for all runs of an arm but the first. */
function move(from: string, to: string): void {
  try {
    renameSync(from, to)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error
    mkdirSync(path.dirname(to), { recursive: true })
    renameSync(from, to)
  }
}

/** What is on disk of a run; null when it is not committed or its record can't be read. What is unfit counts as absent, and is told. */
export async function readRun(benchmark: string, runId: string, onDamage?: OnDamage): Promise<StoredRun | null> {
  const paths = runPaths(benchmark, runId)
  if (!existsSync(paths.record)) return null
  const record = readIf(runRecord, paths.record, onDamage)
  if (record === null) return null
  return {
    record,
    grading: readIf(grading, paths.grading, onDamage),
    timing: readIf(timing, paths.timing, onDamage),
    metrics: readIf(metrics, paths.metrics, onDamage),
  }
}

/** What counts of a run: a part of its record, and its grading, which holds the metrics; null as with readRun. */
export function readCounted(
  benchmark: string,
  runId: string,
  onDamage?: OnDamage,
  ahead?: RunAhead,
): CountedRun | null {
  const paths = runPaths(benchmark, runId)
  const found = readIf(countedRecord, paths.record, onDamage, ahead?.record)
  if (found === null) return null
  const { outputs: _outputs, ...record } = found // thousands are held
  return { record, grading: readIf(grading, paths.grading, onDamage, ahead?.grading), timing: null, metrics: null }
}

/** The gradings of the same transcript again, by their number; what is unfit is left out, and told. */
export function readAgain(benchmark: string, runId: string, onDamage?: OnDamage): Map<number, Grading> {
  const paths = runPaths(benchmark, runId)
  const found = new Map<number, Grading>()
  for (let n = 1; existsSync(paths.again(n)); n += 1) {
    const one = readIf(grading, paths.again(n), onDamage)
    if (one !== null) found.set(n, one)
  }
  return found
}

/** Writes a grading; `times` of the grader (ISO, and how long it took) are added to timing.json. */
export async function writeGrading(
  benchmark: string,
  runId: string,
  graded: Grading,
  times: { start: string; end: string; seconds: number } | null,
): Promise<void> {
  const paths = runPaths(benchmark, runId)
  clearFolders([paths.grading, paths.timing])
  const own = [path.basename(paths.grading), artefactText(grading, paths.grading, graded)] as const
  if (times === null) return await writeAllAtomic(paths.folder, [own])
  const { start, end, seconds } = times
  const before = readIf(timing, paths.timing) ?? {}
  const after = { ...before, grader_start: start, grader_end: end, grader_duration_seconds: seconds }
  const timed = [path.basename(paths.timing), artefactText(timing, paths.timing, after)] as const
  await writeAllAtomic(paths.folder, [timed, own])
}

/** Where a folder lies in a file's place, which was told as damage: no file can be moved there. */
function clearFolders(files: readonly string[]): void {
  for (const file of files) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) rmSync(file, { recursive: true })
  }
}

/** What the eval_metadata.json of every case that has runs is to hold, case by case. `told` gives what a person reads of the case. */
export function* metadataOf(
  folder: string,
  made: Plan,
  told: (one: SuiteCase) => Pick<EvalMetadata, 'eval_name' | 'prompt' | 'assertions'>,
): Generator<readonly LaidFile[]> {
  const runs = new Map<number, string[]>()
  for (const { eval_id, run_id } of made.runs) runs.set(eval_id, [...(runs.get(eval_id) ?? []), run_id])
  for (const one of made.cases) {
    const value = { eval_id: one.eval_id, ...told(one), eval_key: one.eval_key }
    const files = new Set((runs.get(one.eval_id) ?? []).flatMap((id) => metadataPaths(folder, id)))
    const [first] = files
    if (first === undefined) continue
    const text = `${JSON.stringify(checkAs(evalMetadata, value, first), null, 2)}\n`
    // the arms' folders first: that of the case is above them
    yield [...files].reverse().map((file) => ({ file, text }))
  }
}
