/** analyze: why the winners of blind comparisons won, unsealed; and a model's notes on the whole benchmark. */
import path from 'node:path'
import pLimit from 'p-limit'
import type { Analysis } from '../../schemas/analysis.ts'
import type { EngineChoice, Plan } from '../../schemas/plan.ts'
import { UserError } from '../base/error.ts'
import { reapRooms } from '../base/room.ts'
import type { SandboxWish } from '../base/sandbox/choose.ts'
import { withBaseUrl } from '../engines/base_url.ts'
import { judgeName } from '../engines/judge_choice.ts'
import { selectCases } from '../phases/1-plan/select.ts'
import { readComparisons } from '../store/comparisons.ts'
import { readPlan } from '../store/store.ts'
import { type NotesKept, noteBenchmark } from './analyst_notes.ts'
import { type Decided, isAnalyzed, oneAnalysis } from './analyze_one.ts'
import { autoEngine } from './auto_engine.ts'
import { caseFolder } from './case_folder.ts'
import { suiteOf } from './compare_pairs.ts'
import type { FlowContext } from './context.ts'
import { judgeOpener } from './judge_opener.ts'
import { openPace } from './pace.ts'
import { preflight } from './preflight.ts'
import { holdNamed } from './report_folder.ts'
import { hiddenWith } from './start_sandbox.ts'
import { summarize } from './summarize.ts'

export interface AnalyzeRequest {
  folder: string
  cases: readonly string[]
  /** Decided comparisons a case at most. */
  pairs: number
  /** Whether comparisons are analyzed, and whether notes are written. */
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
  decided: Decided[]
  /** Analyzed already, which are not asked again. */
  done: number
}

export interface AnalyzeResult {
  folder: string
  analyses: { eval_id: number; eval_name: string; file: string; analysis: Analysis }[]
  /** Comparisons without an analysis. */
  missing: number
  /** null: no notes were asked for; error: the model gave none. */
  notes: NotesKept | { error: string } | null
}

/** What would be asked; nobody is. Throws UserError where there is nothing to analyze. */
export async function planAnalyze(request: AnalyzeRequest, context: FlowContext, lenient = true): Promise<AnalyzePlan> {
  const folder = path.resolve(request.folder)
  const plan = await readPlan(folder)
  const chosen = selectCases(suiteOf(plan), request.cases).cases
  const decided = request.comparisons
    ? chosen.flatMap((one) => decidedOf(folder, plan, one).slice(0, request.pairs))
    : []
  if (decided.length === 0 && !request.notes) {
    throw new UserError(`${folder}: no comparison there has a winner`, 'whetstone compare <benchmark> makes them')
  }
  const choices: string[] = []
  const named = request.judge === null ? plan.options.judge : null
  const judge = withBaseUrl(
    named ?? (await autoEngine(context, lenient).judge(request.judge, plan.options.engine, choices)),
    request.baseUrl,
  )
  const done = request.again ? 0 : decided.filter((one) => isAnalyzed(one, judge)).length
  return { plan, judge, choices, decided, done }
}

/** A tie has no winner to learn from. */
function decidedOf(folder: string, plan: Plan, one: Plan['cases'][number]): Decided[] {
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
  await reapRooms()
  const planned = await planAnalyze(request, context, false)
  await preflight({ '--judge': planned.judge }, request.passEnv, context)
  const folder = path.resolve(request.folder)
  await using held = await holdNamed(folder, context)
  return await analyzeHeld(folder, { request, planned }, held.context)
}

async function analyzeHeld(
  folder: string,
  { request, planned }: { request: AnalyzeRequest; planned: AnalyzePlan },
  context: FlowContext,
): Promise<AnalyzeResult> {
  const { plan, judge, decided } = planned
  using pace = openPace(undefined, context)
  const { passEnv, sandbox, again } = request
  // it may read the skills and the transcripts that are copied for it, and nothing where they lie
  const hidden = hiddenWith(plan, folder)
  const openJudge = await judgeOpener({ choice: judge, passEnv, hidden, sandbox, pace }, context)
  const limit = pLimit(request.concurrency)
  const jobs = decided.map((one) =>
    limit(async () => (context.drain.aborted ? null : oneAnalysis(one, { judge, openJudge, again }, context))),
  )
  const ends = await Promise.all(jobs)
  const wantsNotes = request.notes && !context.drain.aborted
  const notes = wantsNotes ? await noteBenchmark(folder, { judge: judgeName(judge), openJudge }, context) : null
  const { benchmark } = await summarize(folder, plan, context)
  const made = ends.filter((end) => end !== null)
  return {
    folder,
    analyses: made,
    missing: decided.length - made.length,
    notes: notes === null || 'error' in notes ? notes : { ...notes, ...(benchmark.analyst_notes ?? {}) },
  }
}
