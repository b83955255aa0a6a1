/** compare: has a judge say blind, in both orders, which of two deliveries is better; pair by pair. */
import path from 'node:path'
import pLimit from 'p-limit'
import type { ComparisonSummary } from '../../schemas/comparison_summary.ts'
import type { EngineChoice } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { exists } from '../base/files.ts'
import { reapRooms } from '../base/room.ts'
import type { SandboxWish } from '../base/sandbox/choose.ts'
import { withBaseUrl } from '../engines/base_url.ts'
import { judgeName } from '../engines/judge_choice.ts'
import { benchmarkPaths } from '../store/paths.ts'
import { readPlan } from '../store/store.ts'
import { autoEngine } from './auto_engine.ts'
import { pairOfFolders, pairsOfBenchmarks } from './compare_folders.ts'
import { comparer, isJudged } from './compare_pair.ts'
import { type Pairing, pairsOfBenchmark, type SkippedPair } from './compare_pairs.ts'
import type { FlowContext } from './context.ts'
import { judgeOpener } from './judge_opener.ts'
import { openPace } from './pace.ts'
import { preflight } from './preflight.ts'
import { holdNamed } from './report_folder.ts'
import { summarize } from './summarize.ts'
import { summarizePairs, writeSummary } from './summarize_comparisons.ts'

export interface CompareRequest {
  /** A benchmark; or two of them; or two folders of one pair. */
  folder: string
  other: string | null
  /** Arms; null: the candidate, and the baseline (of the other benchmark its candidate). */
  a: string | null
  b: string | null
  /** Pairs a case at most; null: all. */
  pairs: number | null
  cases: readonly string[]
  /** engine[:model]; null: the plan's. */
  judge: string | null
  baseUrl: string | null
  seed: number
  concurrency: number
  /** Ask again what was judged already. */
  again: boolean
  /** Where the verdicts on two folders go; null: comparisons/<a>-vs-<b> beside the first. */
  output: string | null
  /** The task of two folders. */
  prompt: string | null
  passEnv: readonly string[]
  sandbox: SandboxWish | null
}

export interface ComparePlan {
  pairing: Pairing
  judge: EngineChoice
  /** Who was chosen, and why. */
  choices: string[]
  /** Pairs judged already, which are not asked again. */
  done: number
}

export interface CompareResult {
  /** The folder that holds the verdicts, absolute. */
  folder: string
  summary: ComparisonSummary
  skipped: SkippedPair[]
  /** Planned pairs without a verdict: judge errors, and what was not come to. */
  missing: number
  /** Absolute: the reports, then the comparisons made now. */
  wrote: string[]
}

/** What would be asked; nobody is, and nothing is written. */
export async function planCompare(request: CompareRequest, context: FlowContext, lenient = true): Promise<ComparePlan> {
  const pairing = await pairingOf(request)
  if (pairing.pairs.length === 0) throw nothingToCompare(pairing)
  const choices: string[] = []
  const chosen = await judgeOf(request, pairing, { context, lenient, choices })
  const judge = withBaseUrl(chosen, request.baseUrl)
  const judged = await Promise.all(pairing.pairs.map((pair) => isJudged(pair, judge)))
  return { pairing, judge, choices, done: request.again ? 0 : judged.filter(Boolean).length }
}

/** Throws UserError or IncompleteError before anything was paid for, the abort reason when cut short. */
export async function compare(request: CompareRequest, context: FlowContext): Promise<CompareResult> {
  await reapRooms()
  const planned = await planCompare(request, context, false)
  const { pairing, judge } = planned
  if (planned.done < pairing.pairs.length) await preflight({ '--judge': judge }, request.passEnv, context)
  await using held = await holdNamed(pairing.output, context)
  return await compareHeld({ request, planned }, held.context)
}

async function compareHeld({ request, planned }: Asked, context: FlowContext): Promise<CompareResult> {
  const { pairing, judge, choices, done } = planned
  const { a, b, output, pairs, skipped, plan } = pairing
  context.emit({
    type: 'comparison_planned',
    folder: output,
    a,
    b,
    judge: judgeName(judge),
    pairs: pairs.length,
    done,
    skipped,
    choices,
  })
  using pace = openPace(undefined, context)
  const { passEnv, sandbox, seed, again } = request
  const openJudge = await judgeOpener({ choice: judge, passEnv, hidden: pairing.hidden, sandbox, pace }, context)
  const judgePair = comparer({ openJudge, judge, names: pairing.names, seed, again }, context)
  const limit = pLimit(request.concurrency)
  const jobs = pairs.map((pair) => limit(async () => (context.drain.aborted ? null : judgePair(pair))))
  const ends = await Promise.allSettled(jobs)
  context.signal.throwIfAborted()
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed) throw failed.reason
  const judged = ends.flatMap((end) => (end.status === 'fulfilled' && end.value !== null ? end.value : []))
  const missing = ends.length - judged.filter(({ end }) => end === 'judged').length
  const comparisons = judged.flatMap(({ wrote }) => wrote ?? [])
  if (plan !== null) {
    const { benchmark, paths, page } = await summarize(output, plan, context)
    const reports = [paths.benchmark, paths.markdown, ...(page ? [paths.report] : [])]
    if (benchmark.comparison !== undefined) {
      const wrote = [...reports, ...comparisons]
      return { folder: output, summary: benchmark.comparison, skipped, missing, wrote }
    }
  }
  const summary = summarizePairs(pairing, judgeName(judge))
  const wrote = [...(await writeSummary(output, summary)), ...comparisons]
  return { folder: output, summary, skipped, missing, wrote }
}

interface Asked {
  request: CompareRequest
  planned: ComparePlan
}

async function pairingOf(request: CompareRequest): Promise<Pairing> {
  const folder = path.resolve(request.folder)
  if (request.other === null) {
    if (request.output !== null)
      throw new UserError('--output: the verdicts on a benchmark stay in its folder', 'leave it out')
    return pairsOfBenchmark(folder, await readPlan(folder), request)
  }
  const other = path.resolve(request.other)
  if (folder === other)
    throw new UserError(
      `${request.folder} and ${request.other} are the same folder`,
      'give one to compare its arms, or two',
    )
  for (const one of [folder, other]) {
    if (!(await exists(one)))
      throw new UserError(`${one}: no such folder`, 'give two benchmarks, or two folders of one run each')
  }
  const folders: [string, string] = [folder, other]
  const output = path.resolve(
    request.output ?? path.join('comparisons', `${path.basename(folder)}-vs-${path.basename(other)}`),
  )
  const planned = await Promise.all(folders.map((one) => exists(benchmarkPaths(one).plan)))
  if (planned.every(Boolean)) return pairsOfBenchmarks(folders, request, output)
  if (planned.some(Boolean))
    throw new UserError('one is a benchmark and one is not', 'give two benchmarks, or two folders of one run each')
  return pairOfFolders(folders, { prompt: request.prompt, request }, output)
}

interface JudgeWish {
  context: FlowContext
  lenient: boolean
  choices: string[]
}

async function judgeOf(
  { judge }: CompareRequest,
  pairing: Pairing,
  { context, lenient, choices }: JudgeWish,
): Promise<EngineChoice> {
  if (judge === null && pairing.judge !== null) return pairing.judge
  return autoEngine(context, lenient).judge(judge, pairing.engine, choices)
}

function nothingToCompare({ skipped }: Pairing): UserError {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))].slice(0, 3)
  return new UserError(
    `no pair of runs to compare${reasons.length > 0 ? `: ${reasons.join('; ')}` : ''}`,
    'a pair is a completed run of each side on the same case',
  )
}
