/** Finds the runs in a folder of any layout; reports what can't be read, and continues with the rest. */
import path from 'node:path'
import { metrics as metricsSchema } from '../../../schemas/metrics.ts'
import { runRecord } from '../../../schemas/run.ts'
import { UserError } from '../../base/errors/error.ts'
import { walk } from '../../base/fs/files.ts'
import { canonicalJson, parseJson, readText } from '../../base/json/json.ts'
import type { StoredRun } from '../../store/store.ts'
import { isConfiguration } from './arms.ts'
import { type ForeignRunPlace, folderOfCaseFile, parseRunPlace } from './layout.ts'
import {
  type ForeignFields,
  findUnusableMeasures,
  pickNumber,
  readForeignTiming,
  toForeignFields,
} from './pick_values.ts'
import { findGradings, type GradingFound } from './read_grading.ts'

/** What the aggregator of the reference (skill-creator) reads from a run. */
export type ReferenceRun = Record<'pass_rate' | 'time_seconds' | 'tokens', number>

/** An unusable file: its path relative to the tree (with line and column if known), and why. */
export interface TreeProblem {
  file: string
  message: string
}

/** A run as found, before it gets ids. */
export interface RunFound extends ForeignRunPlace {
  /** Relative to the tree, with /. */
  folder: string
  /** null: no readable result; `missing` says why. */
  result: ForeignStoredRun | null
  missing: string
  /** The whole grading.json, and the nearest eval_metadata.json. */
  fields: ForeignFields
  reference: ReferenceRun
  metadata: ForeignFields | null
}

/** Other tools store no record of a run. */
type ForeignStoredRun = Omit<StoredRun, 'record'> & { record: StoredRun['record'] | null }

export interface TreeFound {
  runs: RunFound[]
  problems: TreeProblem[]
  /** Files named like gradings, in places without a known layout. */
  passedOver: string[]
}

const skippedFolders = new Set(['node_modules', '__pycache__'])

/** The content of a folder: the names of its files (relative, with /), and what could not be read. */
export interface ForeignTree {
  root: string
  names: ReadonlySet<string>
  problems: TreeProblem[]
}

/** Ten thousand runs have about a hundred thousand files. A whole disk would fill the memory. */
const mostEntries = 500_000

/** Rejects when the folder itself can't be read, or has too many entries for a benchmark. */
export async function walkTree(root: string, most = mostEntries): Promise<ForeignTree> {
  let entries = 0
  const skip = (name: string) => {
    const own = path.posix.basename(name)
    if (skippedFolders.has(own) || own.startsWith('.')) return true
    entries += 1
    return entries > most
  }
  const { files, leftOut } = await walk(root, { skip, unreadable: 'leave_out' })
  if (entries > most)
    throw new UserError(`${root}: more than ${most} files and folders`, 'name the folder of one benchmark')
  // Unusual files among the outputs come from an agent, and are not part of a benchmark.
  const problems = leftOut.flatMap(({ path: file, reason }) =>
    `/${file}`.includes('/outputs/') ? [] : [{ file, message: reason }],
  )
  return { root, names: new Set(files.map((file) => file.path).sort()), problems }
}

export async function findRuns(tree: ForeignTree): Promise<TreeFound> {
  const { names, problems } = tree
  const reader: Reader = { ...tree, stems: mapCaseFiles(names), read: new Map() }
  const folders = new Set(
    [...names].flatMap((file) => (file.endsWith('-grading.json') ? folderOfCaseFile(file) : null) ?? runFolders(file)),
  )
  const runs: RunFound[] = []
  for (const folder of [...folders].sort()) runs.push(...(await readFolderRuns(folder, reader)))
  return { runs: withoutShells(runs), problems, passedOver: await unreadGradings(reader) }
}

interface Reader extends ForeignTree {
  /** Path of a case's file without its last part (such as -grading.json), by the run folder that it replaces. */
  stems: ReadonlyMap<string, string>
  /** Parsed values by path: metadata serve many runs. */
  read: Map<string, unknown>
}

function mapCaseFiles(names: ReadonlySet<string>): Map<string, string> {
  const stems = new Map<string, string>()
  for (const file of names) {
    const folder = folderOfCaseFile(file)
    if (folder !== null && !stems.has(folder)) stems.set(folder, file.replace(/-[^-]+$/, ''))
  }
  return stems
}

/** Unread files named like gradings, with other verdicts than the grading.json in the folder of their run. */
async function unreadGradings(reader: Reader): Promise<string[]> {
  const unread = [...reader.names].filter(
    (file) => /[-_.]grading\.json$/.test(file) && !`/${file}`.includes('/outputs/') && !reader.read.has(file),
  )
  const found: string[] = []
  for (const file of unread) {
    const value = await readValue(file, reader)
    const folders = [path.posix.dirname(file), folderOfCaseFile(file) ?? '.']
    const read = folders.map((folder) => reader.read.get(path.posix.join(folder, 'grading.json')))
    const isCopy = read.some((own) => own !== undefined && verdictSignature(own) === verdictSignature(value))
    if (value !== undefined && !isCopy) found.push(file)
  }
  return found
}

function verdictSignature(value: unknown): string {
  return canonicalJson(findGradings(value).map(({ configuration, run, grading }) => ({ configuration, run, grading })))
}

function runFolders(file: string): string[] {
  const name = path.posix.basename(file)
  const folder = path.posix.dirname(file)
  const runFiles = ['grading.json', 'timing.json', 'run.json', 'transcript.md', 'transcript.jsonl', 'metrics.json']
  const outputs = `/${folder}/`.indexOf('/outputs/')
  if (outputs >= 0) return [folder.slice(0, Math.max(0, outputs - 1)) || '.']
  return runFiles.includes(name) ? [folder] : []
}

async function readFolderRuns(folder: string, reader: Reader): Promise<RunFound[]> {
  const place = parseRunPlace(folder)
  if (place === null) return []
  const at = (name: string) => path.posix.join(folder, name)
  const stem = reader.stems.get(folder)
  const caseFile = (name: string) => (stem === undefined ? at(name) : `${stem}-${name}`)
  const file = [at('grading.json'), at('outputs/grading.json'), caseFile('grading.json')].find((name) =>
    reader.names.has(name),
  )
  const value = file === undefined ? undefined : await readValue(file, reader)
  const found = value === undefined ? [] : findGradings(value)
  if (file !== undefined && value !== undefined && found.length === 0) {
    reader.problems.push({ file, message: 'contains no list of verdicts, no counts and no pass rate' })
  }
  const run = {
    folder,
    ...place,
    metadata: await findMetadata(folder, place.case === '' ? '' : '.', reader),
    missing: file === undefined ? 'there is no grading.json' : `${file} can't be used`,
  }
  const record = runRecord.safeParse(await readValue(at('run.json'), reader)).data ?? null
  const metrics = metricsSchema.safeParse(await readValue(at('outputs/metrics.json'), reader)).data ?? null
  const timeFiles = new Set([at('timing.json'), at('outputs/timing.json'), caseFile('timing.json')])
  const times: unknown[] = []
  for (const name of timeFiles) {
    const read = await readValue(name, reader)
    addUnusable(reader, name, [read])
    times.push(read)
  }
  const timed = found.flatMap(({ fields }) => [fields.timing, fields])
  if (file !== undefined) addUnusable(reader, file, timed)
  const whole = toForeignFields(value) ?? {}
  if (found.length === 0) {
    const timing = readForeignTiming(times)
    const result = record === null ? null : { record, grading: null, timing, metrics }
    return place.configuration === null
      ? []
      : [{ ...run, result, fields: whole, reference: referenceNumbers(whole, times[0]) }]
  }
  const hasArms = holdsBothArms(found)
  return found.map((one, index) => {
    const timing = readForeignTiming([...(found.length === 1 ? times : []), one.fields.timing, one.fields])
    const result = { record, grading: one.grading, timing, metrics }
    const configuration = hasArms
      ? (one.configuration ?? place.configuration)
      : (place.configuration ?? one.configuration)
    const number = chooseRunNumber(run.run, found, index)
    const reference = referenceNumbers(one.fields, times[0])
    return { ...run, configuration, run: number, result, reference, fields: { ...whole, ...one.fields } }
  })
}

/** Whether the file has several configurations: then it decides the configuration of a run, otherwise the folder does. */
function holdsBothArms(found: readonly GradingFound[]): boolean {
  return new Set(found.map((one) => one.configuration)).size > 1
}

/** The number of the run's folder, else of the file; without one, runs of one file are numbered in order for each configuration. */
function chooseRunNumber(folder: RunFound['run'], found: readonly GradingFound[], index: number): RunFound['run'] {
  const alike = found.map(({ configuration }) => configuration === found[index]?.configuration)
  const stated = found[index]?.run ?? null
  if (alike.filter(Boolean).length < 2) return folder ?? stated ?? (found.length === 1 ? null : 1)
  const own = stated ?? alike.slice(0, index + 1).filter(Boolean).length
  return folder === null ? own : `${folder}/${own}`
}

function addUnusable({ problems }: Reader, file: string, values: readonly unknown[]): void {
  for (const message of new Set(values.flatMap(findUnusableMeasures))) problems.push({ file, message })
}

/** Undefined: missing, or unreadable, which becomes a problem. */
async function readValue(file: string, reader: Reader): Promise<unknown> {
  if (!reader.names.has(file)) return undefined
  if (!reader.read.has(file)) reader.read.set(file, await readJsonFile(reader.root, file, reader.problems))
  return reader.read.get(file)
}

/** Undefined: unreadable, which becomes a problem. */
export async function readJsonFile(root: string, file: string, problems: TreeProblem[]): Promise<unknown> {
  try {
    return parseJson(await readText(path.join(root, file)), file)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    const why = error.message.replace(file, '').replace(/^:/, 'line ')
    problems.push({ file, message: why.replace(/^line \s/, '') })
    return undefined
  }
}

/** The eval_metadata.json of the run's folder, else of its nearest parent below `end`: one at the root belongs to no single case. */
async function findMetadata(folder: string, end: string, reader: Reader): Promise<ForeignFields | null> {
  for (let at = folder; at !== end; at = path.posix.dirname(at)) {
    const found = toForeignFields(await readValue(path.posix.join(at, 'eval_metadata.json'), reader))
    if (found !== null || at === '.') return found
  }
  return null
}

/** Drops ungraded folders without a configuration's name, and those whose case and configuration has its runs below or elsewhere. */
function withoutShells(runs: readonly RunFound[]): RunFound[] {
  const arm = (run: RunFound) => `${run.iteration}\n${run.case}\n${run.configuration}`
  const graded = new Set(runs.filter((run) => run.result?.grading).map(arm))
  const names = new Set(runs.flatMap((run) => (run.result?.grading ? (run.configuration ?? []) : [])))
  const numbered = new Set(runs.filter((run) => run.run !== null).map(arm))
  return runs.filter((run) => {
    if (run.result !== null) return true
    const name = run.configuration ?? ''
    if (!isConfiguration(name) && !names.has(name)) return false
    if (run.run !== null) return true
    return run.missing.endsWith("can't be used")
      ? !numbered.has(arm(run))
      : !graded.has(arm(run)) && !numbered.has(arm(run))
  })
}

/** `timing`: the value of the timing.json next to the grading. Rates come only from the summary; missing times are 0. */
export function referenceNumbers(grading: ForeignFields, timing: unknown): ReferenceRun {
  const metrics = toForeignFields(grading.execution_metrics)
  const own = pickNumber(toForeignFields(grading.timing), ['total_duration_seconds']) ?? 0
  const beside = own === 0 ? toForeignFields(timing) : null
  const tokens = pickNumber(beside, ['total_tokens']) ?? 0
  return {
    pass_rate: pickNumber(toForeignFields(grading.summary), ['pass_rate']) ?? 0,
    time_seconds: own === 0 ? (pickNumber(beside, ['total_duration_seconds']) ?? 0) : own,
    tokens: tokens === 0 ? (pickNumber(metrics, ['output_chars']) ?? 0) : tokens,
  }
}
