/** One graded run as an entry in `benchmark.json`. */
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import { keepRated, weightedPassRate } from '../../../../schemas/pass_rate.ts'
import { roundDollars } from '../../../base/text/dollars.ts'
import { round } from '../stats/numbers/round.ts'
import type { PlannedRun, RunWithGrading } from './aggregate_input.ts'

/** Counts come from the list of expectations; from the grading's summary only if another tool kept no list. */
export function buildBenchmarkRun(planned: PlannedRun, result: RunWithGrading, grading: Grading): BenchmarkRun {
  const { record, metrics, timing } = result
  const { passed, total, pass_rate } = countExpectations(grading)
  const counted = metrics ?? grading.execution_metrics ?? null
  const tokens = readRunTokens(result)
  const seconds = readRunSeconds(result)
  const undecided = grading.judge_errors?.length ?? 0
  return {
    eval_id: planned.eval_id,
    eval_name: planned.eval_name,
    configuration: planned.configuration,
    run_number: planned.run_number,
    result: {
      pass_rate,
      passed,
      failed: total - passed,
      total,
      ...(seconds === null ? {} : { time_seconds: seconds }),
      ...(tokens === null ? {} : { tokens }),
      ...(counted === null || counted.tools_shown === false ? {} : { tool_calls: counted.total_tool_calls }),
      errors: counted?.errors_encountered ?? 0,
      cost_usd: roundRunCost(record?.cost?.usd ?? timing?.total_cost_usd ?? null),
      skill_read: record?.skill.read ?? null,
      ...(undecided === 0 ? {} : { undecided }),
      ...(record?.agent_crashes && { agent_crashes: record.agent_crashes }),
      ...(record?.status === 'timed_out' && { timed_out: true }),
      ...(record?.status === 'timed_out' && record.provider_unseen && { provider_unseen: true as const }),
      ...(record?.asked_user && { asked_user: true }),
      ...(record?.conversation && { conversation_ended: record.conversation.ended }),
    },
    expectations: grading.expectations,
    ...(grading.rubric && { rubric: grading.rubric }),
    ...(undecided > 0 && { judge_errors: grading.judge_errors }),
    ...(grading.injection_attempts && { injection_attempts: grading.injection_attempts }),
    notes: listGradingNotes(grading),
  }
}

function countExpectations({ expectations, summary }: Grading): { passed: number; total: number; pass_rate: number } {
  if (summary.source !== undefined) return { ...summary, pass_rate: round(summary.pass_rate, 4) }
  const rated = keepRated(expectations)
  const passed = rated.filter((expectation) => expectation.passed).length
  return { passed, total: rated.length, pass_rate: round(weightedPassRate(rated), 4) }
}

/** The agent's wall time; null: not known. */
function readRunSeconds({ timing, record }: RunWithGrading): number | null {
  return timing?.total_duration_seconds ?? (record === null ? null : record.duration_ms / 1000)
}

/** Input + output + cache read + cache write; null: the engine does not report tokens. */
function readRunTokens({ record, timing }: RunWithGrading): number | null {
  const usage = record?.usage ?? null
  if (usage === null) return timing?.total_tokens ?? null
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}

function listGradingNotes(grading: Grading): string[] {
  const said = grading.user_notes_summary
  const errors = (grading.judge_errors ?? []).map(({ text, reason }) => `Not decided: ${text} (${reason})`)
  const attempts = (grading.injection_attempts ?? []).map(({ file, line, text }) => {
    return `Seems to talk to the judge: ${file}${line === null ? '' : `:${line}`}: ${text}`
  })
  return [
    ...(said?.uncertainties ?? []),
    ...(said?.needs_review ?? []),
    ...(said?.workarounds ?? []),
    ...errors,
    ...attempts,
  ]
}

function roundRunCost(usd: number | null): number | null {
  return usd === null ? null : roundDollars(usd)
}
