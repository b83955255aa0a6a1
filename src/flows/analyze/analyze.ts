/** analyze: explains unblinded why the winners of blind comparisons won, and has a model write notes on the whole benchmark. */
import path from 'node:path'
import pLimit from 'p-limit'
import type { Analysis } from '../../../schemas/analysis.ts'
import type { EngineChoice, Plan } from '../../../schemas/plan.ts'
import { UserError } from '../../base/errors/error.ts'
import type { SandboxWish } from '../../base/sandbox/choose.ts'
import { withBaseUrl } from '../../engines/models/base_url.ts'
import { judgeName } from '../../engines/models/judge_choice.ts'
import { selectCases } from '../../phases/1-plan/suite/select_cases.ts'
import { readComparisons } from '../../store/artefacts/comparisons.ts'
import { readPlan } from '../../store/store.ts'
import { authorizePlannedEngine } from '../authorize/planned_programs.ts'
import { caseFolder, rebuildSuite } from '../comparisons/pairs.ts'
import type { FlowContext } from '../flow_context.ts'
import { createJudgeOpener } from '../judge/open_judge.ts'
import { openAccountLimiters } from '../limits/rate_limiters.ts'
import { createAutoEngine } from '../prepare/choose_engine.ts'
import { preflight } from '../prepare/preflight.ts'
import { ignoreRefusals, throwRefusal } from '../prepare/refusals.ts'
import { type AnalystNotesResult, hasPlaceForNotes, noPlaceText, writeAnalystNotes } from '../report/analyst_notes.ts'
import { lockNamedFolder } from '../report/report_folder.ts'
import { summarizeBenchmark } from '../report/summarize.ts'
import { listBenchmarkHiddenPaths } from '../sandbox/start_sandbox.ts'
import { clearLeftovers } from '../workspace/clear_leftovers.ts'
import { analyzeComparison, type DecidedComparison, isAnalyzed } from './analyze_pair.ts'

export interface AnalyzeRequest {
  folder: string
  cases: readonly string[]
  /** Most decided comparisons per case. */
  pairs: number
  /** Whether to analyze comparisons, and whether to write notes. */
  comparisons: boolean
  notes: boolean
  /** engine[:model]; null: the plan's. */
  judge: string | null
  baseUrl: string | null
  concurrency: number
  again: boolean
  passEnv: readonly string[]
  sandbox: SandboxWish | null
}

export interface AnalyzePlan {
  plan: Plan
  judge: EngineChoice
  choices: string[]
  decided: DecidedComparison[]
  /** Comparisons that are already analyzed and not asked again. */
  done: number
  /** Whether the model is asked for notes: requested, and the rules leave a place. */
  asksNotes: boolean
}

export interface AnalyzeResult {
  folder: string
  analyses: { eval_id: number; eval_name: string; file: string; analysis: Analysis }[]
  /** Comparisons without an analysis. */
  missing: number
  /** null: no notes were requested; error: the model returned none; skipped: why it was not asked. */
  notes: AnalystNotesResult | { error: string } | { skipped: string } | null
}

/** What would be asked, without asking. Throws UserError where there is nothing to analyze. */
export async function planAnalyze(request: AnalyzeRequest, context: FlowContext, lenient = true): Promise<AnalyzePlan> {
  const folder = path.resolve(request.folder)
  const plan = await readPlan(folder)
  const chosen = selectCases(rebuildSuite(plan), request.cases).cases
  const decided = request.comparisons
    ? chosen.flatMap((one) => listDecidedComparisons(folder, plan, one).slice(0, request.pairs))
    : []
  if (decided.length === 0 && !request.notes) {
    throw new UserError(`${folder}: no comparison with a winner`, 'run whetstone compare <benchmark> first')
  }
  const flags = { choice: request.judge !== null, baseUrl: request.baseUrl !== null }
  const asked = { role: 'judge', choice: plan.options.judge, named: flags, wish: request.sandbox } as const
  if (!lenient || context.confirm === undefined) await authorizePlannedEngine({ file: folder, ...asked }, context)
  const choices: string[] = []
  const named = request.judge === null ? plan.options.judge : null
  const judge = withBaseUrl(
    named ??
      (await createAutoEngine(context, lenient ? ignoreRefusals : throwRefusal).judge(
        request.judge,
        plan.options.engine,
        choices,
      )),
    request.baseUrl,
  )
  const done = request.again ? 0 : decided.filter((one) => isAnalyzed(one, judge)).length
  return { plan, judge, choices, decided, done, asksNotes: request.notes && (await hasPlaceForNotes(folder)) }
}

/** A tie has no winner to learn from. */
function listDecidedComparisons(folder: string, plan: Plan, one: Plan['cases'][number]): DecidedComparison[] {
  if (!plan.runs.some((run) => run.eval_id === one.eval_id)) return []
  const own = caseFolder(folder, plan, one.eval_id)
  return readComparisons(own).judged.flatMap(({ number, comparison }) =>
    comparison.winner === 'TIE' || comparison.sides === undefined
      ? []
      : [
          {
            folder,
            caseFolder: own,
            number,
            comparison,
            sides: comparison.sides,
            winner: comparison.winner,
            case: one,
            plan,
          },
        ],
  )
}

export async function analyze(request: AnalyzeRequest, context: FlowContext): Promise<AnalyzeResult> {
  await clearLeftovers(context)
  const planned = await planAnalyze(request, context, false)
  await preflight({ '--judge': planned.judge }, request.passEnv, context)
  const folder = path.resolve(request.folder)
  await using lock = await lockNamedFolder(folder, context)
  return await analyzeLocked(folder, { request, planned }, lock.context)
}

async function analyzeLocked(
  folder: string,
  { request, planned }: { request: AnalyzeRequest; planned: AnalyzePlan },
  context: FlowContext,
): Promise<AnalyzeResult> {
  const { plan, judge, decided } = planned
  using pace = openAccountLimiters(undefined, context)
  const { passEnv, sandbox, again } = request
  // the analyst may read the copied skills and transcripts, but not their originals
  const hidden = listBenchmarkHiddenPaths(plan, folder)
  const openJudge = await createJudgeOpener({ choice: judge, passEnv, hidden, sandbox, pace }, context)
  const limit = pLimit(request.concurrency)
  const jobs = decided.map((one) =>
    limit(async () => (context.drain.aborted ? null : analyzeComparison(one, { judge, openJudge, again }, context))),
  )
  const ends = await Promise.all(jobs)
  const asksNotes = planned.asksNotes && !context.drain.aborted
  const failed = asksNotes ? await writeAnalystNotes(folder, { judge: judgeName(judge), openJudge }, context) : null
  const { benchmark } = await summarizeBenchmark(folder, plan, context)
  const made = ends.filter((end) => end !== null)
  return {
    folder,
    analyses: made,
    missing: decided.length - made.length,
    notes:
      request.notes && !planned.asksNotes
        ? { skipped: noPlaceText }
        : (failed ?? (asksNotes ? (benchmark.analyst_notes ?? null) : null)),
  }
}
