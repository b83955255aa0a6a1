/** Writes golden test results to the agent's evals/runs/: lines, responses, a sample of verdicts. Changes nothing else of the agent. */
import path from 'node:path'
import type { EvalCaseResult, EvalResult } from '../../../schemas/eval_result.ts'
import { type GoldenAuditLine, type GoldenRunLine, notInvoked } from '../../../schemas/golden.ts'
import type { Grading } from '../../../schemas/grading.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import type { SuiteCase } from '../../../schemas/suite.ts'
import { errnoCode, errorMessage } from '../../base/errors/error.ts'
import { sha256 } from '../../base/json/json.ts'
import type { FinishedEval } from '../../flows/format_steps.ts'
import { readRun } from '../../store/store.ts'
import { describeCapUsage } from './cost_caps.ts'
import { formatLocalDate, isDecided, openGoldenRuns } from './run_files.ts'

/**
 * Adds what the summary needs. Cases not reached leave no line. A disk error is recorded in the result: verdicts stay valid, and the same
 * command writes the log later.
 */
export async function writeGoldenLog(ended: FinishedEval): Promise<EvalResult> {
  const { plan, result, stopped, prepared, now } = ended
  const runs = openGoldenRuns(path.join(result.root, 'evals'))
  const date = formatLocalDate(new Date(result.started_at))
  const logged = new Map(runs.linesOf(date).map((line) => [logLineKey(line), line]))
  const made = await buildLogLines(ended)
  const [first] = plan.cases.flatMap(({ judging }) => (judging?.kind === 'golden' ? [judging.golden] : []))
  const lines: GoldenRunLine[] = []
  const keep = async () => {
    for (const { line, said } of made) {
      const before = logged.get(logLineKey(line))?.agent_response_path
      const response = said === '' ? '' : (before ?? (await runs.keepResponse(date, line.test_id, said)))
      lines.push({ ...line, agent_response_path: response })
    }
    const fresh = lines.filter((line) => logged.get(logLineKey(line))?.verdict !== line.verdict)
    await runs.append(date, fresh)
    const share = first?.judge.audit_sample_pct ?? 0
    const due = Math.floor(runs.countDecided() * share + 1e-9) - runs.samples().length
    await runs.keepSample(drawAuditSample(fresh, due))
  }
  const unwritten = await keep().then(() => null, diskErrorMessage)
  const decisions = made.filter(({ line: { verdict } }) => verdict === 'pass' || verdict === 'fail').length
  const costs = describeCapUsage(prepared, now)
  const told = { ...(costs.length > 0 && { costs }), stopped, ...(unwritten !== null && { unwritten }) }
  const all = unwritten === null ? lines : made.map(({ line }) => line)
  const threshold = first?.rubric.threshold_pass ?? 4
  const open = runs.samples().filter(({ human }) => human === null)
  return { ...result, golden: { log: runs.fileOf(date), lines: all, threshold, open, decisions, ...told } }
}

/** Returns the system's message; rethrows any error that is not from the system. */
function diskErrorMessage(error: unknown): string {
  if (errnoCode(error) === null) throw error
  return errorMessage(error)
}

/** A line for each test, without its response file, and the agent's response. */
async function buildLogLines({ plan, result }: FinishedEval): Promise<{ line: GoldenRunLine; said: string }[]> {
  const lines = []
  for (const [index, one] of plan.cases.entries()) {
    const verdict = result.cases[index]
    if (verdict === undefined || (verdict.run === null && one.cannot_run === null)) continue
    const stored = verdict.run === null ? null : await readRun(result.folder, verdict.run)
    const run = { case: one, result: verdict, record: stored?.record ?? null, grading: stored?.grading ?? null }
    const made = goldenLine(run, path.basename(result.root), '')
    const line = stored === null ? { ...made, ts: result.started_at } : made
    lines.push({ line, said: stored?.record.final_response ?? '' })
  }
  return lines
}

/** The key of a test's run: a resumed eval does not repeat its line. */
function logLineKey({ ts, test_id }: GoldenRunLine): string {
  return `${ts} ${test_id}`
}

interface GoldenRun {
  case: SuiteCase
  result: EvalCaseResult
  record: RunRecord | null
  grading: Grading | null
}

/** The hard fail of an agent that crashed. */
export const agentError = 'agent_error'

/** `response`: the path of the response, relative to evals/; empty: there is none. */
export function goldenLine(run: GoldenRun, agent: string, response: string): GoldenRunLine {
  const { case: one, result, record, grading } = run
  const scores = grading?.golden
  const isCrash = result.verdict === 'fail' && record !== null && record.status !== 'completed'
  const error =
    result.verdict === 'pass' || (result.verdict === 'fail' && !isCrash) ? null : (result.reason ?? 'unknown')
  const justification = scores?.justification ?? (isCrash ? `Agent crashed: ${error}` : (error ?? ''))
  return {
    ts: record?.ended_at ?? new Date(0).toISOString(),
    agent,
    test_id: one.eval_name,
    category: one.category ?? '',
    trigger: 'eval',
    agent_model: record === null ? notInvoked : (record.engine.model ?? record.engine.name),
    judge_model: nameGoldenJudge(grading),
    ...(scores?.unavailable && { judges_unavailable: scores.unavailable }),
    scores: scores?.scores ?? unscored(one),
    score_justifications: scores?.justifications ?? {},
    weighted_score: scores && Object.keys(scores.scores).length > 0 ? scores.weighted : null,
    hard_fails: isCrash ? [agentError] : (scores?.hard_fails ?? []),
    verdict: toGoldenLineVerdict(result, grading),
    judge_justification: justification,
    overall_justification: justification,
    ...(scores && scores.unmet.length > 0 && { unmet_criteria: scores.unmet }),
    factual_checks: scores?.factual_checks ?? [],
    ...(scores && scores.clamped.length > 0 && { clamped_scores: scores.clamped }),
    setup_applied: one.judging?.kind === 'golden' && one.judging.golden.setup !== '',
    agent_response_path: response,
    agent_input_tokens: sumInputTokens(record),
    agent_output_tokens: record?.usage?.output_tokens ?? null,
    agent_cost_usd: record?.cost?.usd ?? null,
    judge_input_tokens: scores?.judge_input_tokens ?? null,
    judge_output_tokens: scores?.judge_output_tokens ?? null,
    judge_cost_usd: grading?.judge?.cost_usd ?? null,
    ...(error !== null && { error }),
    ...(isCrash && record.status === 'failed' && { traceback: record.error.message }),
  }
}

/** Each dimension of the rubric without a score. */
function unscored({ judging }: SuiteCase): GoldenRunLine['scores'] {
  const weights = judging?.kind === 'golden' ? judging.golden.rubric.weights : {}
  return Object.fromEntries(Object.keys(weights).map((name) => [name, null]))
}

function nameGoldenJudge(grading: Grading | null): string {
  const { judge } = grading ?? {}
  if (judge === undefined) return notInvoked
  return judge.model ?? grading?.golden?.judge ?? judge.engine
}

function toGoldenLineVerdict({ verdict }: EvalCaseResult, grading: Grading | null): GoldenRunLine['verdict'] {
  if (verdict !== 'skip') return verdict
  return (grading?.judge_errors ?? []).length > 0 ? 'judge_error' : 'skipped'
}

/** Tokens read from and written to a cache are input too. */
function sumInputTokens(record: RunRecord | null): number | null {
  const usage = record?.usage
  return usage ? usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens : null
}

/** `due`: how many are missing of the share of all verdicts, of every run. */
export function drawAuditSample(lines: readonly GoldenRunLine[], due: number): GoldenAuditLine[] {
  const lot = ({ ts, test_id }: GoldenRunLine) => sha256(`${ts} ${test_id}`)
  return lines
    .filter(isDecided)
    .toSorted((a, b) => (lot(a) < lot(b) ? -1 : 1))
    .slice(0, Math.max(0, due))
    .map(({ ts, agent, test_id, verdict, weighted_score, judge_model, judge_justification, ...line }) => ({
      ...{ ts, agent, test_id, verdict, weighted_score, scores: line.scores, judge_model, judge_justification },
      agent_response_path: line.agent_response_path,
      human: null,
    }))
}
