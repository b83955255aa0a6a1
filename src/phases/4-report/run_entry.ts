/** One graded run as `benchmark.json` lists it. */
import type { BenchmarkRun } from '../../../schemas/benchmark.ts'
import type { Grading } from '../../../schemas/grading.ts'
import type { PlannedRun, RunResult } from './input.ts'
import { round } from './stats/round.ts'

/** Counts come from the list of expectations, never from the grading's own summary. */
export function benchmarkRun(planned: PlannedRun, result: RunResult, grading: Grading): BenchmarkRun {
  const { record, metrics } = result
  const total = grading.expectations.length
  const passed = grading.expectations.filter((expectation) => expectation.passed).length
  const counted = metrics ?? grading.execution_metrics ?? null
  const tokens = tokensOf(result)
  const undecided = grading.judge_errors?.length ?? 0
  return {
    eval_id: planned.eval_id,
    eval_name: planned.eval_name,
    configuration: planned.configuration,
    run_number: planned.run_number,
    result: {
      pass_rate: round(passed / total, 4),
      passed,
      failed: total - passed,
      total,
      time_seconds: secondsOf(result),
      ...(tokens === null ? {} : { tokens }),
      ...(counted === null ? {} : { tool_calls: counted.total_tool_calls }),
      errors: counted?.errors_encountered ?? 0,
      cost_usd: record.cost?.usd ?? null,
      skill_read: record.skill.read,
      ...(undecided === 0 ? {} : { undecided }),
    },
    expectations: grading.expectations,
    notes: notesOf(grading),
  }
}

/** The agent's wall time. */
function secondsOf({ timing, record }: RunResult): number {
  return timing?.total_duration_seconds ?? record.duration_ms / 1000
}

/** Input + output + cache read + cache write; null: the engine does not say. */
function tokensOf({ record: { usage }, timing }: RunResult): number | null {
  if (usage === null) return timing?.total_tokens ?? null
  return usage.input_tokens + usage.output_tokens + usage.cache_read_tokens + usage.cache_write_tokens
}

function notesOf(grading: Grading): string[] {
  const said = grading.user_notes_summary
  const errors = (grading.judge_errors ?? []).map(({ text, reason }) => `Not decided: ${text} (${reason})`)
  return [...(said?.uncertainties ?? []), ...(said?.needs_review ?? []), ...(said?.workarounds ?? []), ...errors]
}
