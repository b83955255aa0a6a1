/** Decides for each planned run whether it counts, and why not when it doesn't. */
import type { BenchmarkRun, ExcludedRun } from '../../../schemas/benchmark.ts'
import type { JudgeError } from '../../../schemas/grading.ts'
import type { AggregateInput, PlannedRun, ReportCase, RunResult } from './input.ts'
import { benchmarkRun } from './run_entry.ts'

/** `used`: graded, in the rates. `excluded`: in no rate; its reason `ungraded` is by design and does not make a benchmark incomplete. */
export type Outcome =
  | { status: 'used'; run: BenchmarkRun; judgeErrors: readonly JudgeError[] }
  | { status: 'excluded'; run: ExcludedRun; judgeErrors: readonly JudgeError[] }

type Why = Pick<ExcludedRun, 'reason' | 'kind' | 'message'>

/**
 * One outcome for each of these, in their order. A run of which a judge left something undecided counts only where that is undecided in
 * every graded run that it is `alike` with: else one arm would be rated on what is easy to decide, the other on all.
 */
export function classifyAll(
  planned: readonly PlannedRun[],
  input: AggregateInput,
  alike: (run: PlannedRun) => string = ({ eval_id }) => String(eval_id),
): Outcome[] {
  const all = planned.map((run) => ({ run, group: alike(run), outcome: classify(run, input) }))
  const groups = new Map<string, Outcome[]>()
  for (const { group, outcome } of all) {
    if (outcome.status !== 'used') continue
    const known = groups.get(group)
    if (known === undefined) groups.set(group, [outcome])
    else known.push(outcome)
  }
  return all.map(({ run, group, outcome }) => {
    const isOurs = input.results.get(run.run_id)?.record != null
    return isOurs && outcome.status === 'used' ? asFarAsDecided(outcome, groups.get(group) ?? []) : outcome
  })
}

function asFarAsDecided(outcome: Outcome & { status: 'used' }, alike: readonly Outcome[]): Outcome {
  const { run, judgeErrors } = outcome
  const only = judgeErrors.find(({ text }) => !alike.every((one) => isUndecidedIn(one, text)))
  if (only === undefined) return outcome
  const { eval_id, eval_name, configuration, run_number, expectations } = run
  const of = `${judgeErrors.length} of ${judgeErrors.length + expectations.length} expectations`
  const why: Why = { reason: 'judge_error', kind: null, message: `${of} undecided: ${only.reason}` }
  const left = { eval_id, eval_name, configuration, run_number, ...why, judge_errors: [...judgeErrors] }
  return { status: 'excluded', run: left, judgeErrors }
}

function isUndecidedIn({ judgeErrors }: Outcome, text: string): boolean {
  return judgeErrors.some((error) => error.text === text)
}

function classify(planned: PlannedRun, input: AggregateInput): Outcome {
  const result = input.results.get(planned.run_id) ?? null
  const one = input.cases.find((each) => each.eval_id === planned.eval_id)
  const judgeErrors = result?.grading?.judge_errors ?? []
  const why = whyExcluded(result, one, input.onTimeout)
  if (why === null && result?.grading) {
    return { status: 'used', run: benchmarkRun(planned, result, result.grading), judgeErrors }
  }
  const { eval_id, eval_name, configuration, run_number } = planned
  const run = {
    eval_id,
    eval_name,
    configuration,
    run_number,
    ...(why ?? ungradedYet),
    ...(result === null && planned.missing ? { message: planned.missing } : {}),
    ...(why?.reason === 'judge_error' && { judge_errors: [...judgeErrors] }),
  }
  return { status: 'excluded', run, judgeErrors }
}

const ungradedYet: Why = { reason: 'missing', kind: null, message: 'the run ended, but it has no grading' }
const noCriteria: Why = { reason: 'ungraded', kind: null, message: 'the case has no expectations and no checks' }

function whyExcluded(result: RunResult | null, one: ReportCase | undefined, onTimeout: 'fail' | 'exclude'): Why | null {
  if (result === null) return { reason: 'missing', kind: null, message: 'the run was not made, or its record is unfit' }
  const { record, grading } = result
  if (record === null) return whyUngraded(grading, one)
  switch (record.status) {
    case 'failed':
      return { reason: 'failed', kind: record.error.kind, message: record.error.message }
    case 'cancelled':
      return { reason: 'cancelled', kind: null, message: 'the run was cancelled' }
    case 'timed_out':
      if (onTimeout === 'fail' || isUngradedByDesign(one)) return whyUngraded(grading, one)
      return { reason: 'timed_out', kind: null, message: 'the agent ran out of time' }
    case 'completed':
      return whyUngraded(grading, one)
  }
}

function whyUngraded(grading: RunResult['grading'], one: ReportCase | undefined): Why | null {
  if (isUngradedByDesign(one)) return noCriteria
  if (grading === null) return ungradedYet
  if (grading.expectations.length > 0 || grading.summary.source !== undefined) return null
  const errors = grading.judge_errors ?? []
  const [first] = errors
  if (first === undefined) return noCriteria
  return { reason: 'judge_error', kind: null, message: `nothing was decided: ${first.reason}` }
}

function isUngradedByDesign(one: ReportCase | undefined): boolean {
  return one?.expectations?.length === 0 && one.checks?.length === 0
}
