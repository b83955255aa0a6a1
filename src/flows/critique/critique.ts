/** check --critique: what a finished benchmark says of its own suite, as edits. Asks no model and writes nothing. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import type { Critique } from '../../../schemas/critique.ts'
import { type Grading, grading as gradingSchema } from '../../../schemas/grading.ts'
import { UserError } from '../../base/error.ts'
import { redactorFor } from '../../base/redact.ts'
import { armsOf, isCalibration } from '../../phases/4-report/arms.ts'
import { clarityFindings } from '../../phases/4-report/critique/clarity.ts'
import { discriminationFindings } from '../../phases/4-report/critique/discrimination.ts'
import { feedbackFindings } from '../../phases/4-report/critique/feedback.ts'
import type { Found as Finding, SaidOfRun } from '../../phases/4-report/critique/input.ts'
import { readIf } from '../../store/damage.ts'
import { benchmarkPaths, improvePaths } from '../../store/paths.ts'
import { listBenchmarks } from '../../store/store.ts'
import { benchmarkIn, type Found, folderOf } from '../benchmark_in.ts'
import type { FlowContext } from '../context.ts'
import { runKey } from '../run_folders.ts'
import { openPlaces, type SuitePlaces } from './places.ts'

export interface CritiqueRequest {
  /** A benchmark's folder, or a workspace whose newest is meant; of one of `improve` the largest. */
  benchmark: string
  /** A skill or suite that the edits are for; null: the one that the benchmark was planned from. */
  suite: string | null
}

/** Throws UserError where there is no graded run, or both arms are the same. */
export async function critique(request: CritiqueRequest, context: FlowContext): Promise<Critique> {
  const notes: string[] = []
  const folder = (await largestOfLoop(request.benchmark, notes)) ?? (await folderOf(request.benchmark))
  const found = await benchmarkIn(folder, context)
  const { benchmark, plan } = found
  const names = armsOf(benchmark)
  if (isCalibration(names)) {
    throw new UserError(`${folder}: both arms are the same there (a calibration)`, 'give a benchmark of two arms')
  }
  if (benchmark.runs.length === 0)
    throw new UserError(`${folder}: no run there has a grade`, 'whetstone grade <benchmark>')
  const { candidate, baseline } = names
  const arms = candidate === null || baseline === null ? null : { candidate, baseline }
  if (arms === null) notes.push('one arm alone: what tells arms apart could not be looked at')
  const places = await placesOf(request.suite ?? plan?.suite.path ?? null, request.suite !== null, notes)
  const input = { benchmark, arms, gradings: await said(found) }
  const all = [...discriminationFindings(input), ...clarityFindings(input), ...feedbackFindings(input)]
  const caseNames = new Map(benchmark.runs.map((run) => [run.eval_id, run.eval_name]))
  const placed = all.map((one) => withPlace(one, places, caseNames))
  const findings = placed.filter((one) => one !== null)
  return redactorFor(context.env).value({
    schema_version: 1 as const,
    benchmark: folder,
    suite: places?.suite ?? null,
    runs: benchmark.runs.length,
    cases: new Set(benchmark.runs.map(({ eval_id }) => eval_id)).size,
    findings: findings.sort((a, b) => a.eval_id - b.eval_id || rank[a.severity] - rank[b.severity]),
    gone: placed.length - findings.length,
    notes,
  })
}

/**
 * Of a workspace of `improve` the benchmark of the most cases, of these the one of the most runs: the newest is often the small test.
 * null: it is none.
 */
async function largestOfLoop(asked: string, notes: string[]): Promise<string | null> {
  const workspace = path.resolve(asked)
  if (!existsSync(improvePaths(workspace).history)) return null
  const made = (await listBenchmarks(workspace)).flatMap((folder) => {
    const runs = readIf(benchmarkSchema, benchmarkPaths(folder).benchmark)?.runs ?? []
    return runs.length === 0 ? [] : [{ folder, runs: runs.length, cases: new Set(runs.map((run) => run.eval_id)).size }]
  })
  const [largest, ...others] = made.sort((a, b) => b.cases - a.cases || b.runs - a.runs)
  if (largest === undefined) return null
  if (others.length > 0)
    notes.push(
      `a workspace of improve, with ${made.length} benchmarks: this is the one of the most cases and runs; name the folder of another to have that`,
    )
  return largest.folder
}

const rank = { error: 0, warning: 1, info: 2 } as const

/** null: the suite no longer says it. */
function withPlace(one: Finding, places: SuitePlaces | null, names: ReadonlyMap<number, string>) {
  const eval_name = places?.nameOf(one.eval_id) ?? names.get(one.eval_id) ?? String(one.eval_id)
  if (places === null) return { ...one, eval_name, file: null, at: null }
  const place = places.find(one.eval_id, one.expectation)
  if (place === null) return null
  const isNew = one.edit.op === 'add' && place.at !== null
  return { ...one, eval_name, file: place.file, at: isNew ? `${place.at}.expectations` : place.at }
}

async function placesOf(suite: string | null, isAsked: boolean, notes: string[]): Promise<SuitePlaces | null> {
  if (suite === null) {
    notes.push("another tool's benchmark: its suite is not known; name the skill beside --critique")
    return null
  }
  if (isAsked) return openPlaces(suite)
  if (!existsSync(suite)) {
    notes.push(`${suite}: no longer there; name the skill beside --critique`)
    return null
  }
  return openPlaces(suite).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error
    notes.push(`${error.message}; name the skill beside --critique`)
    return null
  })
}

/** What lies beside the verdicts of each run. */
async function said({ benchmark, folders }: Found): Promise<SaidOfRun[]> {
  return benchmark.runs.flatMap((run) => {
    const folder = folders.get(runKey(run))
    if (folder === undefined) return []
    const own = readIf(gradingSchema, path.join(folder, 'grading.json'))
    const { eval_id, eval_name, expectations } = run
    return { eval_id, eval_name, expectations, feedback: own?.eval_feedback, again: againIn(folder) }
  })
}

function againIn(folder: string): Grading[] {
  const found: Grading[] = []
  for (let n = 1; existsSync(path.join(folder, `grading-again-${n}.json`)); n += 1) {
    const one = readIf(gradingSchema, path.join(folder, `grading-again-${n}.json`))
    if (one !== null) found.push(one)
  }
  return found
}
