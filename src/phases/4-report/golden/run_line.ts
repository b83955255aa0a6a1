/** Writes one line of an Atomic Agent's runs/<date>.jsonl from a case of eval. Pure. */
import type { EvalCaseResult } from '../../../../schemas/eval_result.ts'
import { type GoldenRunLine, notInvoked } from '../../../../schemas/golden.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import type { SuiteCase } from '../../../../schemas/suite.ts'

export interface GoldenRun {
  case: SuiteCase
  result: EvalCaseResult
  record: RunRecord | null
  grading: Grading | null
}

/** The hard fail of an agent that crashed. */
const agentError = 'agent_error'

/** `response`: the path of the response, relative to evals/; empty: there is none. */
export function goldenLine(
  { case: one, result, record, grading }: GoldenRun,
  agent: string,
  response: string,
): GoldenRunLine {
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
    scores: scores?.scores ?? {},
    score_justifications: scores?.justifications ?? {},
    weighted_score: scores?.weighted ?? 0,
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
