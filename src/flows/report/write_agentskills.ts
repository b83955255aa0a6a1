/** Exports a benchmark in the agentskills.io dialect into a separate folder: gradings, timings, outputs, feedback. */
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { ArmSummary, Benchmark, BenchmarkRun } from '../../../schemas/benchmark.ts'
import { succeeds } from '../../base/errors/attempt.ts'
import { UserError } from '../../base/errors/error.ts'
import { tempSiblingName, writeAtomic } from '../../base/fs/durable_files.ts'
import { copyWalk, pathExists, walk } from '../../base/fs/files.ts'
import { jsonText } from '../../base/json/json_text.ts'
import { countEach } from '../../base/totals.ts'
import { findArmSummary, findArms } from '../../phases/4-report/benchmark/arms.ts'
import { round } from '../../phases/4-report/stats/numbers/round.ts'
import { runFolderKey } from '../../store/run_folders.ts'
import { readFeedbackNotes } from '../page/data/notes.ts'
import type { SummarizedBenchmark } from './summarize.ts'

/** Throws UserError if the target is not empty, or is inside the benchmark (its copies would count as runs). */
export async function assertExportTarget(benchmark: string, target: string): Promise<void> {
  const inside = path.relative(benchmark, target)
  if (inside === '' || !(inside.startsWith('..') || path.isAbsolute(inside))) {
    throw new UserError(`--output "${target}": is inside the benchmark`, 'choose a folder outside it')
  }
  if (!(await pathExists(target))) {
    const isLink = await succeeds(lstat(target))
    if (isLink) throw new UserError(`--output "${target}": a broken link`, 'choose a new folder')
    return
  }
  const names = await readdir(target).catch(() => null)
  if (names === null) throw new UserError(`--output "${target}": not a readable folder`, 'choose a new folder')
  if (names.length > 0) throw new UserError(`--output "${target}": not empty`, 'choose a new or an empty folder')
}

/** The target must have passed assertExportTarget. It gets all files or, on an error, none. */
export async function writeAgentskills(made: SummarizedBenchmark, target: string): Promise<void> {
  // an existing target may be a mount: only files inside it can be moved into place
  const isThere = await pathExists(target)
  const partial = tempSiblingName(isThere ? path.join(target, 'partial') : target)
  try {
    await mkdir(partial, { recursive: true })
    await writeDialectFiles(made, partial)
    if (!isThere) return await rename(partial, target)
    await moveAll(partial, target)
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}

/** Moves a folder's content into another, benchmark.json last; undoes the moves if one fails. */
async function moveAll(from: string, to: string): Promise<void> {
  const last = 'benchmark.json'
  const names = (await readdir(from)).sort((a, b) => Number(a === last) - Number(b === last))
  const moved: string[] = []
  try {
    for (const name of names) {
      await rename(path.join(from, name), path.join(to, name))
      moved.push(name)
    }
  } catch (error) {
    for (const name of moved) await rm(path.join(to, name), { recursive: true, force: true })
    throw error
  }
}

async function writeDialectFiles({ folder, benchmark, folders }: SummarizedBenchmark, target: string): Promise<void> {
  const made = toAgentskills(benchmark)
  for (const [file, value] of made.files) await writeJson(path.join(target, file), value)
  for (const { run, folder: to } of made.runs) {
    const outputs = path.join(folders.get(runFolderKey(run)) ?? '', 'outputs')
    if (!folders.has(runFolderKey(run)) || !(await pathExists(outputs))) continue
    const { files } = await walk(outputs, { unreadable: 'leave_out', skip: (name) => nonAgentFiles.includes(name) })
    await copyWalk(files, path.join(target, to, 'outputs'))
  }
  const said = readFeedbackTexts(folder)
  if (said.length > 0)
    await writeJson(path.join(target, 'feedback.json'), groupFeedback(said, made, { folder, folders }))
}

const nonAgentFiles = ['metrics.json', 'grading.json', 'timing.json']

function writeJson(file: string, value: unknown): Promise<void> {
  return writeAtomic(file, `${jsonText(value, 2)}\n`)
}

interface ReviewText {
  about: string
  text: string
}

/** People's readable notes: skill-creator's list of reviews, or the guide's flat map. Empty if there are none. */
function readFeedbackTexts(folder: string): ReviewText[] {
  const all = readFeedbackNotes(path.join(folder, 'feedback.json')).reviews
  return all.map(({ run_id: about, feedback: text }) => ({ about, text })).filter(({ text }) => text.trim() !== '')
}

/** Keyed by the case's new folder, several texts on separate lines; a text that fits no run keeps its own key. */
function groupFeedback(
  said: readonly ReviewText[],
  made: AgentskillsFiles,
  { folder, folders }: Pick<SummarizedBenchmark, 'folder' | 'folders'>,
): Record<string, string> {
  const idOf = (run: AgentskillsFiles['runs'][number]['run']) =>
    path.relative(folder, folders.get(runFolderKey(run)) ?? '').replaceAll(/[\\/]/g, '-')
  const out = new Map<string, string[]>()
  for (const { about, text } of said) {
    const place = made.runs.find(({ run, caseFolder }) => caseFolder === about || idOf(run) === about)
    const key = place?.caseFolder ?? about
    out.set(key, [...(out.get(key) ?? []), text])
  }
  return Object.fromEntries([...out].map(([key, texts]) => [key, texts.join('\n')]))
}

export interface AgentskillsFiles {
  /** JSON values by path. */
  files: Map<string, unknown>
  /** The folder of each run; the same runs as in the benchmark. */
  runs: { run: BenchmarkRun; folder: string; caseFolder: string }[]
}

/**
 * Paths are relative, with /. The guide has no runs: a single run is in its configuration's folder, several are in run-<n> folders below
 * it. Unknown values are omitted.
 */
export function toAgentskills(benchmark: Benchmark): AgentskillsFiles {
  const folders = caseFolders(benchmark)
  const caseFolderOf = (run: BenchmarkRun) => folders.get(run.eval_id) ?? `eval-${run.eval_id}`
  const armFolder = (run: BenchmarkRun) => `${caseFolderOf(run)}/${folderName(run.configuration) || 'unnamed'}`
  const counts = countEach(benchmark.runs.map(armFolder))
  const runs = benchmark.runs.map((run) => {
    const caseFolder = caseFolderOf(run)
    const arm = armFolder(run)
    const several = (counts.get(arm) ?? 0) > 1
    return { run, caseFolder, folder: several ? `${arm}/run-${run.run_number}` : arm }
  })
  const files = new Map<string, unknown>([['benchmark.json', { run_summary: toGuideSummary(benchmark) }]])
  for (const { run, folder } of runs) {
    files.set(`${folder}/grading.json`, toGuideGrading(run))
    const timing = toGuideTiming(run)
    if (Object.keys(timing).length > 0) files.set(`${folder}/timing.json`, timing)
  }
  return { files, runs }
}

/** `eval-<name>` by eval_id; a name shared by two cases gets the id. */
function caseFolders({ runs }: Benchmark): Map<number, string> {
  const names = new Map(runs.map((run) => [run.eval_id, folderName(run.eval_name).replace(/^eval-/, '')]))
  const all = [...names.values()]
  return new Map(
    [...names].map(([id, name]) => {
      const shared = name === '' || all.filter((other) => other === name).length > 1
      return [id, `eval-${shared ? [id, name].filter((part) => part !== '').join('-') : name}`]
    }),
  )
}

/** Letters, digits, _ and - only, so that no name leads out of the folder. */
function folderName(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[^\p{L}\p{N}_]+/gu, '-')
  return [...plain]
    .slice(0, 60)
    .join('')
    .replaceAll(/^-+|-+$/g, '')
}

/** No list if only counts are known, no counts if only a rate is: an empty list or a total of 0 would be false. */
function toGuideGrading({ expectations, result: { passed, failed, total, pass_rate } }: BenchmarkRun) {
  const summary = total === 0 ? { pass_rate } : { passed, failed, total, pass_rate }
  if (expectations.length === 0) return { summary }
  return {
    assertion_results: expectations.map(({ text, passed: met, evidence, weight, score, diagnostic }) => ({
      text,
      passed: met,
      evidence,
      ...(weight !== undefined && { weight }),
      ...(score !== undefined && { score }),
      ...(diagnostic && { diagnostic }),
    })),
    summary,
  }
}

function toGuideTiming({ result: { tokens, time_seconds } }: BenchmarkRun) {
  return {
    ...(tokens === undefined ? {} : { total_tokens: tokens }),
    ...(time_seconds === undefined ? {} : { duration_ms: Math.round(time_seconds * 1000) }),
  }
}

const metrics = ['pass_rate', 'time_seconds', 'tokens'] as const

function toGuideSummary(benchmark: Benchmark): Record<string, unknown> {
  const { candidate, baseline } = findArms(benchmark)
  const arms = [candidate, baseline].flatMap((name) => {
    const arm = findArmSummary(benchmark, name)
    return name === null || arm === null ? [] : [{ name, arm }]
  })
  const [own, other] = arms
  return {
    ...Object.fromEntries(arms.map(({ name, arm }) => [name, toGuideArm(arm)])),
    ...(own && other ? { delta: toGuideDelta(own.arm, other.arm) } : {}),
  }
}

function toGuideArm(arm: ArmSummary): Record<string, unknown> {
  const known = metrics.flatMap((metric) => {
    const stats = arm[metric]
    return stats === undefined ? [] : [[metric, { mean: stats.mean, stddev: stats.stddev }] as const]
  })
  return Object.fromEntries(known)
}

/** Candidate minus baseline, as numbers. */
function toGuideDelta(own: ArmSummary, other: ArmSummary): Record<string, number> {
  const known = metrics.flatMap((metric) => {
    const [a, b] = [own[metric], other[metric]]
    return a === undefined || b === undefined ? [] : [[metric, round(a.mean - b.mean, 4)] as const]
  })
  return Object.fromEntries(known)
}
