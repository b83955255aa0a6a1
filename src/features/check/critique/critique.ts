/** check --critique: what a finished benchmark shows about its own suite, as suggested edits. Asks no model and writes nothing. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { benchmark as benchmarkSchema } from '../../../../schemas/benchmark.ts'
import type { Critique } from '../../../../schemas/critique.ts'
import { type Grading, grading as gradingSchema } from '../../../../schemas/grading.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'
import { UserError } from '../../../base/errors/error.ts'
import { formatJsonPath, parseJson } from '../../../base/json/json.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { type BenchmarkContents, loadBenchmark, resolveBenchmarkFolder } from '../../../flows/report/read_benchmark.ts'
import type { InspectedSuite } from '../../../phases/1-plan/suite/inspected_suite.ts'
import { inspectSuite } from '../../../phases/1-plan/suite/load_suite.ts'
import { checkText } from '../../../phases/3-judge/checks/check_text.ts'
import { findArms, isCalibration } from '../../../phases/4-report/benchmark/arms.ts'
import { tryReadArtefact } from '../../../store/artefacts/damage.ts'
import { benchmarkPaths, improvePaths } from '../../../store/paths.ts'
import { runFolderKey } from '../../../store/run_folders.ts'
import { listBenchmarks } from '../../../store/store.ts'
import { clarityFindings } from './clarity.ts'
import type { UnplacedFinding as Finding, RunRemarks } from './findings.ts'
import { discriminationFindings, feedbackFindings } from './findings.ts'

export interface CritiqueRequest {
  /** A benchmark folder, or a workspace (its newest benchmark; for one from `improve`, the largest). */
  benchmark: string
  /** The skill or suite to edit; null: the one that the benchmark was planned from. */
  suite: string | null
}

/** Throws UserError if there is no graded run, or if both configurations are the same. */
export async function critiqueBenchmark(request: CritiqueRequest, context: FlowContext): Promise<Critique> {
  const notes: string[] = []
  const folder =
    (await findLargestBenchmark(request.benchmark, notes)) ?? (await resolveBenchmarkFolder(request.benchmark))
  const found = await loadBenchmark(folder, context)
  const { benchmark, plan } = found
  const names = findArms(benchmark)
  if (isCalibration(names)) {
    throw new UserError(
      `${folder}: both configurations are the same (a calibration)`,
      'pass a benchmark of two configurations',
    )
  }
  if (benchmark.runs.length === 0)
    throw new UserError(`${folder}: no graded run found`, 'run whetstone grade <benchmark>')
  const { candidate, baseline } = names
  const arms = candidate === null || baseline === null ? null : { candidate, baseline }
  if (arms === null) notes.push('only one configuration: whether statements show a difference is unknown')
  const places = await findSuitePlaces(request.suite ?? plan?.suite.path ?? null, request.suite !== null, notes)
  const input = { benchmark, arms, gradings: await collectGradings(found) }
  const all = [...discriminationFindings(input), ...clarityFindings(input), ...feedbackFindings(input)]
  const caseNames = new Map(benchmark.runs.map((run) => [run.eval_id, run.eval_name]))
  const placed = all.map((one) => withPlace(one, places, caseNames))
  const findings = placed.filter((one) => one !== null)
  return getRedactor(context.env).value({
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
 * In a workspace of `improve`: the benchmark with the most cases, then the most runs; the newest is often the small test. null: not a
 * workspace of `improve`.
 */
async function findLargestBenchmark(asked: string, notes: string[]): Promise<string | null> {
  const workspace = path.resolve(asked)
  if (!existsSync(improvePaths(workspace).history)) return null
  const made = (await listBenchmarks(workspace)).flatMap((folder) => {
    const runs = tryReadArtefact(benchmarkSchema, benchmarkPaths(folder).benchmark)?.runs ?? []
    return runs.length === 0 ? [] : [{ folder, runs: runs.length, cases: new Set(runs.map((run) => run.eval_id)).size }]
  })
  const [largest, ...others] = made.sort((a, b) => b.cases - a.cases || b.runs - a.runs)
  if (largest === undefined) return null
  if (others.length > 0)
    notes.push(
      `a workspace of improve, with ${made.length} benchmarks: using the one with the most cases and runs; pass the folder of another to use that`,
    )
  return largest.folder
}

const rank = { error: 0, warning: 1, info: 2 } as const

/** null: the statement is not in the suite's current text. */
function withPlace(one: Finding, places: SuitePlaces | null, names: ReadonlyMap<number, string>) {
  const eval_name = places?.nameOf(one.eval_id) ?? names.get(one.eval_id) ?? String(one.eval_id)
  if (places === null) return { ...one, eval_name, file: null, at: null }
  const place = places.find(one.eval_id, one.expectation)
  if (place === null) return null
  const isNew = one.edit.op === 'add' && place.at !== null
  return { ...one, eval_name, file: place.file, at: isNew ? `${place.at}.expectations` : place.at }
}

async function findSuitePlaces(suite: string | null, isAsked: boolean, notes: string[]): Promise<SuitePlaces | null> {
  if (suite === null) {
    notes.push(
      "another tool's benchmark: its suite is not known; pass the skill, too: whetstone check --critique <benchmark> <skill>",
    )
    return null
  }
  if (isAsked) return openPlaces(suite)
  if (!existsSync(suite)) {
    notes.push(`${suite}: no longer there; pass the skill, too: whetstone check --critique <benchmark> <skill>`)
    return null
  }
  return openPlaces(suite).catch((error: unknown) => {
    if (!(error instanceof UserError)) throw error
    notes.push(`${error.message}; pass the skill, too: whetstone check --critique <benchmark> <skill>`)
    return null
  })
}

/** What each run's grading records besides verdicts. */
async function collectGradings({ benchmark, folders }: BenchmarkContents): Promise<RunRemarks[]> {
  return benchmark.runs.flatMap((run) => {
    const folder = folders.get(runFolderKey(run))
    if (folder === undefined) return []
    const own = tryReadArtefact(gradingSchema, path.join(folder, 'grading.json'))
    const { eval_id, eval_name, expectations } = run
    return { eval_id, eval_name, expectations, feedback: own?.eval_feedback, again: readRegradings(folder) }
  })
}

function readRegradings(folder: string): Grading[] {
  const found: Grading[] = []
  for (let n = 1; existsSync(path.join(folder, `grading-again-${n}.json`)); n += 1) {
    const one = tryReadArtefact(gradingSchema, path.join(folder, `grading-again-${n}.json`))
    if (one !== null) found.push(one)
  }
  return found
}

/** Finds where the statements of a case are in the source of its suite. */
interface Place {
  file: string
  /** JSON path; null: the format has none. */
  at: string | null
}

interface SuitePlaces {
  /** Absolute. */
  suite: string
  /** The place of a statement, or of the case (text null); null: not in the suite. */
  find: (evalId: number, text: string | null) => Place | null
  nameOf: (evalId: number) => string | null
}

/** Throws UserError for a suite that can't be read. */
async function openPlaces(place: string): Promise<SuitePlaces> {
  const inspected = await inspectSuite(place)
  const sources = new Map<string, unknown>()
  for (const { file, at } of inspected.places) {
    if (at !== null && !sources.has(file)) sources.set(file, await readSourceJson(file))
  }
  const indexOf = (evalId: number) => inspected.suite.cases.findIndex((one) => one.eval_id === evalId)
  return {
    suite: inspected.suite.path,
    nameOf: (evalId) => inspected.suite.cases[indexOf(evalId)]?.eval_name ?? null,
    find: (evalId, text) => locateStatement(inspected, sources, { index: indexOf(evalId), text }),
  }
}

async function readSourceJson(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch(() => null)
  try {
    return text === null ? null : parseJson(text, file)
  } catch (error) {
    if (error instanceof UserError) return null
    throw error
  }
}

function locateStatement(
  { suite, places }: InspectedSuite,
  sources: ReadonlyMap<string, unknown>,
  { index, text }: { index: number; text: string | null },
): Place | null {
  const one = suite.cases[index]
  const place = places[index]
  if (one === undefined || place === undefined) return null
  if (text === null || place.at === null) return text === null || hasStatement(one, text) ? place : null
  const check = one.checks.findIndex((each) => checkText(each) === text)
  if (check !== -1) return { file: place.file, at: `${place.at}.checks[${check}]` }
  if (!hasStatement(one, text)) return null
  const found = findTextPath(readValueAtPath(sources.get(place.file), place.at), text)
  return { file: place.file, at: found === null ? place.at : `${place.at}${formatJsonPath(found).slice(1)}` }
}

function hasStatement({ expectations, checks }: SuiteCase, text: string): boolean {
  return expectations.some((one) => one.text === text) || checks.some((one) => checkText(one) === text)
}

/** The first list item or field in the case that equals this text, or an object that contains it. */
function findTextPath(value: unknown, text: string): PropertyKey[] | null {
  if (typeof value !== 'object' || value === null) return null
  const fields = Object.entries(value).filter(([name]) => name !== 'prompt')
  for (const [name, inner] of fields) {
    if (!Array.isArray(inner)) continue
    const index = inner.findIndex((item) => matchesText(item, text))
    if (index !== -1) return [name, index]
  }
  const [field] = fields.find(([, inner]) => matchesText(inner, text)) ?? []
  return field === undefined ? null : [field]
}

function matchesText(item: unknown, text: string): boolean {
  if (typeof item === 'string') return item.trim() === text
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return false
  return Object.values(item).some((value) => typeof value === 'string' && value.trim() === text)
}

/** `at` in the loaders' syntax: $, .name, [3]. */
function readValueAtPath(value: unknown, at: string): unknown {
  const keys = [...at.matchAll(/\.([\w$]+)|\[(\d+)\]/g)].map(([, name, index]) => name ?? index ?? '')
  return keys.reduce<unknown>((inner, key) => {
    if (typeof inner !== 'object' || inner === null) return undefined
    return Object.entries(inner).find(([name]) => name === key)?.[1]
  }, value)
}
