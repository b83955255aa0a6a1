/** compare: a judge decides blind, in both orders, which of two outputs is better, pair by pair. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import pLimit from 'p-limit'
import { type ComparisonSummary, comparisonSummary } from '../../../schemas/comparison_summary.ts'
import type { EngineChoice } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import { pathExists } from '../../base/fs/files.ts'
import { missingPathError } from '../../base/fs/nearest_path.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { withBaseUrl } from '../../engines/models/base_url.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { authorizePlannedEngine } from '../../flows/authorize/planned_programs.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { createJudgeOpener } from '../../flows/judge/open_judge.ts'
import { openAccountLimiters } from '../../flows/limits/rate_limiters.ts'
import { reportUnsetVariables } from '../../flows/prepare/check_start.ts'
import { createAutoEngine } from '../../flows/prepare/choose_engine.ts'
import { ignoreRefusals, preflight, throwRefusal } from '../../flows/prepare/preflight.ts'
import { resolveBenchmarkFolder } from '../../flows/report/read_benchmark.ts'
import { lockNamedFolder } from '../../flows/report/report_folder.ts'
import { summarizeBenchmark } from '../../flows/report/summarize.ts'
import { clearLeftovers } from '../../flows/workspace/benchmark_lock.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { findSigner } from '../../store/signing/signer.ts'
import { isOwnPlan, readPlan, writeArtefact } from '../../store/store.ts'
import { pairBenchmarks, pairFolders } from './compare_folders.ts'
import { createComparer, isPairJudged } from './compare_pair.ts'
import { type Pairing, type PairsRequest, pairBenchmarkArms, type SkippedPair } from './pairs.ts'
import { readComparisons, tallyCases, tallyComparisons } from './summarize.ts'

export interface CompareRequest extends PairsRequest {
  /** A benchmark, two benchmarks, or the two folders of one pair. */
  folder: string
  other: string | null
  /** engine[:model]; null: the plan's. */
  judge: string | null
  baseUrl: string | null
  concurrency: number
  /** Repeat existing judgements. */
  again: boolean
  /** Where the verdicts on two folders go; null: comparisons/<a>-vs-<b> next to the first. */
  output: string | null
  /** The task of the two folders. */
  prompt: string | null
  passEnv: readonly string[]
  sandbox: SandboxWish | null
}

export interface ComparePlan {
  pairing: Pairing
  judge: EngineChoice
  /** The chosen judge, and why. */
  choices: string[]
  /** Pairs that are already judged and not asked again. */
  done: number
}

export interface CompareResult {
  /** The folder with the verdicts, absolute. */
  folder: string
  summary: ComparisonSummary
  skipped: SkippedPair[]
  /** Planned pairs without a verdict: judge errors, and pairs not reached. */
  missing: number
  /** Absolute: the reports, then the new comparisons. */
  wrote: string[]
}

/** What would be asked, without asking or writing. */
export async function planCompare(request: CompareRequest, context: FlowContext, lenient = true): Promise<ComparePlan> {
  const pairing = await resolvePairing(request)
  if (pairing.pairs.length === 0) throw nothingToCompare(pairing)
  const named = { choice: request.judge !== null, baseUrl: request.baseUrl !== null }
  const planned = { role: 'judge', choice: pairing.judge, named, wish: request.sandbox } as const
  if (!lenient || context.confirm === undefined)
    await authorizePlannedEngine({ file: request.folder, ...planned }, context)
  const choices = listForeignFolders(request, context)
  reportUnsetVariables(request, { choices }, context)
  const auto = createAutoEngine(context, lenient ? ignoreRefusals : throwRefusal)
  const earlier = request.judge === null ? pairing.judge : null
  const chosen = earlier ?? (await auto.judge(request.judge, pairing.engine, choices))
  const judge = withBaseUrl(chosen, request.baseUrl)
  const judged = await Promise.all(pairing.pairs.map((pair) => isPairJudged(pair, judge)))
  return { pairing, judge, choices, done: request.again ? 0 : judged.filter(Boolean).length }
}

/** Whetstone's benchmarks among the folders that lack this user's signature; they are compared all the same. */
function listForeignFolders({ folder, other }: CompareRequest, { env }: FlowContext): string[] {
  const folders = [folder, ...(other === null ? [] : [other])].map((one) => path.resolve(one))
  const foreign = folders.filter((one) => existsSync(benchmarkPaths(one).plan) && !isOwnPlan(one, findSigner(env)))
  return foreign.map((one) => `${one}: lacks your signature, so somebody else may have run it`)
}

/** Throws UserError or IncompleteError before any paid call, and the abort reason if interrupted. */
export async function compare(request: CompareRequest, context: FlowContext): Promise<CompareResult> {
  await clearLeftovers(context)
  const planned = await planCompare(request, context, false)
  const { pairing, judge } = planned
  if (planned.done < pairing.pairs.length) await preflight({ '--judge': judge }, request.passEnv, context)
  await using lock = await lockNamedFolder(pairing.output, context)
  return await compareLocked(request, planned, lock.context)
}

async function compareLocked(
  request: CompareRequest,
  planned: ComparePlan,
  context: FlowContext,
): Promise<CompareResult> {
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
  using pace = openAccountLimiters(undefined, context)
  const { passEnv, sandbox, seed, again } = request
  const openJudge = await createJudgeOpener({ choice: judge, passEnv, hidden: pairing.hidden, sandbox, pace }, context)
  const judgePair = createComparer({ openJudge, judge, names: pairing.names, seed, again }, context)
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
    const { benchmark, paths, page } = await summarizeBenchmark(output, plan, context)
    const reports = [paths.benchmark, paths.markdown, ...(page ? [paths.report] : [])]
    if (benchmark.comparison !== undefined) {
      const wrote = [...reports, ...comparisons]
      return { folder: output, summary: benchmark.comparison, skipped, missing, wrote }
    }
  }
  const summary = summarizePairs(pairing, judgeName(judge))
  const file = path.join(output, 'comparison_summary.json')
  await writeArtefact(comparisonSummary, file, summary)
  return { folder: output, summary, skipped, missing, wrote: [file, ...comparisons] }
}

function summarizePairs({ pairs, a, b }: Pairing, judge: string): ComparisonSummary {
  const cases = new Map(pairs.map((pair) => [pair.folder, pair]))
  const found = [...cases.values()].map(({ eval_id, eval_name, folder }) => ({
    eval_id,
    eval_name,
    stored: readComparisons(folder),
  }))
  return tallyCases(found, { a, b }) ?? tallyComparisons({ a, b, judge, comparisons: [], errors: 0 })
}

async function resolvePairing(request: CompareRequest): Promise<Pairing> {
  if (request.other === null) {
    const folder = await resolveBenchmarkFolder(request.folder)
    if (request.output !== null)
      throw new UserError('--output: the verdicts on a benchmark stay in its folder', 'remove --output')
    return pairBenchmarkArms(folder, await readPlan(folder), request)
  }
  const folder = path.resolve(request.folder)
  const other = path.resolve(request.other)
  if (folder === other)
    throw new UserError(
      `${request.folder} and ${request.other} are the same folder`,
      'pass one to compare its configurations, or two different ones',
    )
  for (const one of [request.folder, request.other]) {
    if (!(await pathExists(path.resolve(one))))
      throw missingPathError(one, 'folder', 'pass two benchmarks, or two folders of one run each')
  }
  const folders: [string, string] = [folder, other]
  const output = path.resolve(
    request.output ?? path.join('comparisons', `${path.basename(folder)}-vs-${path.basename(other)}`),
  )
  const planned = await Promise.all(folders.map((one) => pathExists(benchmarkPaths(one).plan)))
  if (planned.every(Boolean)) return pairBenchmarks(folders, request, output)
  if (planned.some(Boolean))
    throw new UserError('only one of the two is a benchmark', 'pass two benchmarks, or two folders of one run each')
  return pairFolders(folders, { prompt: request.prompt, request }, output)
}

function nothingToCompare({ skipped }: Pairing): UserError {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))].slice(0, 3)
  return new UserError(
    `no pair of runs to compare${reasons.length > 0 ? `: ${reasons.join('; ')}` : ''}`,
    'pairs need a completed run of each side on the same case',
  )
}
