/** analyze: explains unblinded why the winners of blind comparisons won, and has a model write notes on the whole benchmark. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import Handlebars from 'handlebars'
import pLimit from 'p-limit'
import * as z from 'zod'
import type { Analysis } from '../../../../schemas/analysis.ts'
import { analystNote, analystNotes } from '../../../../schemas/analyst_notes.ts'
import { type Benchmark, benchmark as benchmarkSchema } from '../../../../schemas/benchmark.ts'
import type { EngineChoice, Plan } from '../../../../schemas/plan.ts'
import { UserError } from '../../../base/errors/error.ts'
import { readJson } from '../../../base/json/json.ts'
import { getRedactor } from '../../../base/secrets/redact.ts'
import { buildCodeFence } from '../../../base/text/fence.ts'
import { type AskOutcome, askEngine } from '../../../engines/ask/ask.ts'
import { withBaseUrl } from '../../../engines/models/base_url.ts'
import { judgeName } from '../../../engines/models/judge_choice.ts'
import { authorizePlannedEngine } from '../../../flows/authorize/planned_programs.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import { createJudgeOpener, type OpenJudge } from '../../../flows/judge/open_judge.ts'
import { openAccountLimiters } from '../../../flows/limits/rate_limiters.ts'
import { createAutoEngine } from '../../../flows/prepare/choose_engine.ts'
import { ignoreRefusals, preflight, throwRefusal } from '../../../flows/prepare/preflight.ts'
import { type AnalystNotesResult, analystNotesFile } from '../../../flows/report/analyst_notes.ts'
import { lockNamedFolder } from '../../../flows/report/report_folder.ts'
import { summarizeBenchmark } from '../../../flows/report/summarize.ts'
import { listBenchmarkHiddenPaths } from '../../../flows/sandbox/start_sandbox.ts'
import { clearLeftovers } from '../../../flows/workspace/benchmark_lock.ts'
import { rebuildSuite, selectCases } from '../../../phases/1-plan/suite/select_cases.ts'
import { buildJudgeTask, type JudgeContext } from '../../../phases/3-judge/judge_request.ts'
import { mostNotes } from '../../../phases/4-report/notes/rules/attempts.ts'
import { benchmarkPaths } from '../../../store/paths.ts'
import { readPlan, writeArtefact } from '../../../store/store.ts'
import type { CompareRequest } from '../compare.ts'
import { caseFolder, readComparisons } from '../summarize.ts'
import { analyzeComparison, type DecidedComparison, isAnalyzed } from './analyze_pair.ts'

export interface AnalyzeRequest
  extends Pick<
    CompareRequest,
    'folder' | 'cases' | 'judge' | 'baseUrl' | 'concurrency' | 'again' | 'passEnv' | 'sandbox'
  > {
  /** Most decided comparisons per case. */
  pairs: number
  /** Whether to analyze comparisons, and whether to write notes. */
  comparisons: boolean
  notes: boolean
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

const notesPromptSource = readFileSync(new URL('./notes_prompt.md', import.meta.url), 'utf8')
const template = Handlebars.compile(notesPromptSource, { strict: true, noEscape: true })

const notesAnswer = z.object({ notes: z.array(analystNote).max(8) })

/** `numbers`: JSON text; `rules`: the notes from rules. */
async function askNotes(
  { numbers, rules, cwd }: { numbers: string; rules: readonly string[]; cwd: string },
  asking: JudgeContext,
): Promise<AskOutcome<z.infer<typeof notesAnswer>>> {
  const listed = rules.map((note) => `- ${note}`).join('\n')
  const prompt = template({
    numbers,
    fence: buildCodeFence(numbers),
    rules: listed,
    rulesFence: buildCodeFence(listed),
  })
  return await askEngine({ ...buildJudgeTask(asking, { prompt, cwd, mark: null, tools: 'none' }), schema: notesAnswer })
}

const noPlaceText = `the benchmark has ${mostNotes} notes of its own already`

/** Whether the rules leave a place for a note of the model. Rejects without a benchmark.json. */
export async function hasPlaceForNotes(folder: string): Promise<boolean> {
  return listRuleNotes(await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark)).length < mostNotes
}

function listRuleNotes({ notes, analyst_notes }: Benchmark): string[] {
  return notes.slice(0, notes.length - (analyst_notes?.kept ?? 0))
}

/** Asks the model and stores the answer; null: it gave one. Rejects only when aborted, or without a benchmark.json. */
async function writeAnalystNotes(
  folder: string,
  how: { judge: string; openJudge: OpenJudge },
  context: FlowContext,
): Promise<{ error: string } | null> {
  const before = await readJson(benchmarkSchema, benchmarkPaths(folder).benchmark)
  await using opened = await how.openJudge()
  const asked = await askNotes(
    { numbers: formatBenchmarkNumbers(before), rules: listRuleNotes(before), cwd: opened.cwd },
    opened.asking,
  )
  if (asked.status === 'error') return { error: getRedactor(context.env).text(asked.error) }
  const { notes } = getRedactor(context.env).value(asked.value)
  const analyzer_model = asked.spent.model ?? how.judge
  const made_at = context.now().toISOString()
  await writeArtefact(analystNotes, analystNotesFile(folder), { schema_version: 1, analyzer_model, made_at, notes })
  return null
}

/** What the model sees: the runs with their verdicts, without evidence. */
function formatBenchmarkNumbers({ runs, run_summary, cases, counts }: Benchmark): string {
  const shown = runs.map(({ eval_id, eval_name, configuration, run_number, result, expectations }) => ({
    ...{ eval_id, eval_name, configuration, run_number, result },
    expectations: expectations.map(({ text, passed }) => ({ text, passed })),
  }))
  return JSON.stringify({ counts, run_summary, cases, runs: shown })
}
