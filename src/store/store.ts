/** Reads and writes artefacts: checked on reading, atomic on writing; a run is committed by one rename. */
import { existsSync, lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { mkdir, readdir } from 'node:fs/promises'
import path from 'node:path'
import type * as z from 'zod'
import { type EvalMetadata, evalMetadata } from '../../schemas/eval_metadata.ts'
import { type Grading, grading } from '../../schemas/grading.ts'
import { type Metrics, metrics } from '../../schemas/metrics.ts'
import { type Plan, plan, type RunSpec } from '../../schemas/plan.ts'
import { type CountedRecord, countedRecord, type RunRecord, runRecord } from '../../schemas/run.ts'
import { type Timing, timing } from '../../schemas/timing.ts'
import { errorMessage, UserError } from '../base/errors/error.ts'
import {
  createNumbered,
  makeFolders,
  syncFile,
  syncFiles,
  syncFolder,
  writeAllAtomic,
  writeAtomic,
  writeWhole,
} from '../base/fs/durable_files.ts'
import { listPlainFiles, pathExists } from '../base/fs/files.ts'
import { missingPathError } from '../base/fs/nearest_path.ts'
import { checkAs, readJson } from '../base/json/json.ts'
import { jsonText } from '../base/json/json_text.ts'
import { type OnDamage, tryReadArtefact } from './artefacts/damage.ts'
import {
  benchmarkPaths,
  type Collection,
  collectionFolder,
  isTimestampName,
  metadataPaths,
  runPaths,
  timestampName,
} from './paths.ts'
import { signedAsGrading, signRun } from './signing/own_runs.ts'
import type { ResultSigner } from './signing/signer.ts'
import { isSignedFile, listSignedParts, signaturePath, writeSigned } from './signing/signer.ts'

/** Everything known of one finished run. */
export interface StoredRun {
  record: RunRecord
  grading: Grading | null
  timing: Timing | null
  metrics: Metrics | null
}

export type CountedRun = Omit<StoredRun, 'record'> & { record: CountedRecord }

/** Checks and writes an artefact, so that no invalid one reaches the disk. */
export async function writeArtefact<S extends z.ZodType>(schema: S, file: string, value: z.infer<S>): Promise<void> {
  await writeAtomic(file, artefactText(schema, file, value))
}

function artefactText<S extends z.ZodType>(schema: S, file: string, value: z.infer<S>): string {
  return `${jsonText(checkAs(schema, value, file), 2)}\n`
}

/** Creates the folder of a new benchmark; two in the same second get -2, -3, … */
export async function createBenchmark(
  workspace: string,
  moment: Date,
  collection: Collection = 'benchmarks',
): Promise<string> {
  const above = collectionFolder(workspace, collection)
  const base = path.join(above, timestampName(moment))
  try {
    makeFolders(above)
    return await createNumbered(base, (folder) => mkdir(folder))
  } catch (error) {
    throw new UserError(`workspace ${workspace}: ${errorMessage(error)}`, 'choose a writable folder with --workspace')
  }
}

export async function listBenchmarks(workspace: string, collection: Collection = 'benchmarks'): Promise<string[]> {
  const folder = collectionFolder(workspace, collection)
  const names = await readdir(folder).catch(() => [])
  return names
    .filter(isTimestampName)
    .sort((a, b) => b.localeCompare(a, 'en', { numeric: true }))
    .map((name) => path.join(folder, name))
}

/** The plan of a benchmark folder. Throws UserError when it is missing or invalid. */
export async function readPlan(folder: string): Promise<Plan> {
  const file = benchmarkPaths(folder).plan
  if (!(await pathExists(file))) {
    const fix = 'pass a benchmark folder, such as <workspace>/benchmarks/<timestamp>'
    if (!(await pathExists(folder))) throw missingPathError(folder, 'folder', fix)
    const why = 'plan.json is missing, which names the prompts, the engine and the judge'
    throw new UserError(`"${folder}" is not a benchmark of Whetstone: ${why}`, fix)
  }
  return readJson(plan, file)
}

/** Writes the plan as this user's: only with its signature is the benchmark resumed. */
export async function writePlan(folder: string, made: Plan, signer: ResultSigner): Promise<void> {
  await writeSigned(plan, { file: benchmarkPaths(folder).plan }, { value: made, signer })
}

/** The plan of a benchmark folder; null: missing, invalid or not this user's. */
export async function readOwnPlan(folder: string, signer: ResultSigner): Promise<Plan | null> {
  return isOwnPlan(folder, signer) ? await readPlan(folder).catch(() => null) : null
}

/** Whether this user wrote the plan of the folder as it is now. */
export function isOwnPlan(folder: string, signer: ResultSigner): boolean {
  return isSignedFile(benchmarkPaths(folder).plan, signer)
}

/** Signs a filled folder and moves it into place: syncs files and folder, then renames. From that point the run counts. */
export async function commitRun(partial: string, run: PlacedRun): Promise<void> {
  await signRun(partial, run.runId, run.signer)
  await syncFiles(listPlainFiles(partial))
  await syncFolder(partial)
  await putInPlace(partial, run)
}

export interface PlacedRun {
  /** The benchmark folder, absolute. */
  benchmark: string
  runId: string
  signer: ResultSigner
}

/** commitRun for a folder whose content is already durable. */
export async function placeRun(partial: string, run: PlacedRun): Promise<void> {
  await signRun(partial, run.runId, run.signer)
  await syncFile(signaturePath(path.join(partial, 'run.json')))
  await syncFolder(partial)
  await putInPlace(partial, run)
}

async function putInPlace(partial: string, { benchmark, runId }: PlacedRun): Promise<void> {
  moveRun(partial, benchmark, runId)
  await syncFolder(path.dirname(runPaths(benchmark, runId).folder))
}

/** Moves a filled folder to the place of its run, replacing an existing run. Not synced. */
export function moveRun(partial: string, benchmark: string, runId: string): void {
  const target = runPaths(benchmark, runId).folder
  rmSync(target, { recursive: true, force: true })
  mkdirSync(path.dirname(target), { recursive: true })
  renameSync(partial, target)
}

/** The artefacts of a run; null: not committed, or its record can't be read. Invalid files count as absent and are reported. */
export async function readRun(benchmark: string, runId: string, onDamage?: OnDamage): Promise<StoredRun | null> {
  const paths = runPaths(benchmark, runId)
  if (!existsSync(paths.record)) return null
  const record = tryReadArtefact(runRecord, paths.record, onDamage)
  if (record === null) return null
  return {
    record,
    grading: tryReadArtefact(grading, paths.grading, onDamage),
    timing: tryReadArtefact(timing, paths.timing, onDamage),
    metrics: tryReadArtefact(metrics, paths.metrics, onDamage),
  }
}

export interface RunOnDisk {
  spec: RunSpec
  /** null: not on disk. */
  stored: StoredRun | null
}

export function readRuns(benchmark: string, specs: readonly RunSpec[]): Promise<RunOnDisk[]> {
  return Promise.all(specs.map(async (spec) => ({ spec, stored: await readRun(benchmark, spec.run_id) })))
}

/** The counted parts of a run: some of its record, and its grading, which includes the metrics; null as in readRun. */
export function readCountedRun(benchmark: string, runId: string, onDamage?: OnDamage): CountedRun | null {
  const paths = runPaths(benchmark, runId)
  const found = tryReadArtefact(countedRecord, paths.record, onDamage)
  if (found === null) return null
  const { outputs: _outputs, ...record } = found // saves memory: thousands are loaded
  return { record, grading: tryReadArtefact(grading, paths.grading, onDamage), timing: null, metrics: null }
}

/** Repeated gradings of the same transcript, by number; invalid ones are skipped and reported. */
export function readRepeatGradings(benchmark: string, runId: string, onDamage?: OnDamage): Map<number, Grading> {
  const paths = runPaths(benchmark, runId)
  const found = new Map<number, Grading>()
  for (let n = 1; existsSync(paths.again(n)); n += 1) {
    const one = tryReadArtefact(grading, paths.again(n), onDamage)
    if (one !== null) found.set(n, one)
  }
  return found
}

/** Writes a grading of a run; `signer` null: unsigned, because the run is somebody else's. It adds the `times` of the grader (ISO times, and duration in seconds) to timing.json. */
export async function writeGrading(
  { benchmark, runId, signer }: Omit<PlacedRun, 'signer'> & { signer: ResultSigner | null },
  graded: Grading,
  times: { start: string; end: string; seconds: number } | null,
): Promise<void> {
  const paths = runPaths(benchmark, runId)
  clearFolders([paths.grading, paths.timing])
  const signed = { file: paths.grading, as: signedAsGrading(benchmark, runId) }
  const text = artefactText(grading, paths.grading, graded)
  const own = signer === null ? [[path.basename(paths.grading), text] as const] : listSignedParts(signed, text, signer)
  if (times === null) return await writeAllAtomic(paths.folder, own)
  const { start, end, seconds } = times
  const before = tryReadArtefact(timing, paths.timing) ?? {}
  const after = { ...before, grader_start: start, grader_end: end, grader_duration_seconds: seconds }
  const timed = [path.basename(paths.timing), artefactText(timing, paths.timing, after)] as const
  await writeAllAtomic(paths.folder, [timed, ...own])
}

/** Removes a folder in place of a file, already reported as damage: no file can be renamed onto it. */
function clearFolders(files: readonly string[]): void {
  for (const file of files) {
    if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory()) rmSync(file, { recursive: true })
  }
}

/** Writes the eval_metadata.json of the case with these runs: into the case's folder and into that of each arm. Not synced. */
export function writeMetadata(folder: string, runIds: readonly string[], value: EvalMetadata): void {
  for (const file of new Set(runIds.flatMap((id) => metadataPaths(folder, id)))) {
    mkdirSync(path.dirname(file), { recursive: true })
    writeWhole(file, artefactText(evalMetadata, file, value))
  }
}
