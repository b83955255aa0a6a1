/** Decides for each planned run whether it counts, and why not if it doesn't. */
import type { BenchmarkRun, ExcludedRun } from '../../../../schemas/benchmark.ts'
import type { Quarantine } from '../../../../schemas/case_upkeep.ts'
import type { Grading, JudgeError } from '../../../../schemas/grading.ts'
import { keepRated, weightedPassRate } from '../../../../schemas/pass_rate.ts'
import { roundDollars, toGroups } from '../../../base/totals.ts'
import { countTokens } from '../../../engines/models/cost.ts'
import { round } from '../stats/numbers/round.ts'
import type { AggregateInput, PlannedRun, ReportCase, RunWithGrading } from './aggregate_input.ts'

/** `used`: graded and in the rates. `excluded`: in no rate. A benchmark is complete without runs that are `ungraded` or `quarantined`. */
export type RunOutcome =
  | { status: 'used'; run: BenchmarkRun; judgeErrors: readonly JudgeError[] }
  | { status: 'excluded'; run: ExcludedRun; judgeErrors: readonly JudgeError[] }

export const emptyGrading = 'its grading is empty'

type ExclusionReason = Pick<ExcludedRun, 'reason' | 'kind' | 'message'>

/**
 * One outcome for each planned run, in their order. A run with undecided expectations counts only if the same ones are undecided in every
 * graded run of its `alike` group. Otherwise one configuration would be rated on the easy expectations only.
 */
export function classifyRuns(
  planned: readonly PlannedRun[],
  input: AggregateInput,
  alike: (run: PlannedRun) => string = ({ eval_id }) => String(eval_id),
): RunOutcome[] {
  const classified = planned.map((run) => ({ run, group: alike(run), outcome: classify(run, input) }))
  const judged = new Set(classified.flatMap(({ run, outcome }) => (isJudged(outcome) ? run.eval_id : [])))
  const all = classified.map((one) => ({
    ...one,
    outcome: judged.has(one.run.eval_id) ? markEmptyGrading(one.outcome) : one.outcome,
  }))
  const groups = toGroups(
    all.filter(({ outcome }) => outcome.status === 'used'),
    ({ group }) => group,
  )
  return all.map(({ run, group, outcome }) => {
    const isOurs = input.results.get(run.run_id)?.record != null
    return isOurs && outcome.status === 'used'
      ? limitToDecided(
          outcome,
          (groups.get(group) ?? []).map((one) => one.outcome),
        )
      : outcome
  })
}

/** Whether the run shows that its case has expectations. */
function isJudged(outcome: RunOutcome): boolean {
  return outcome.status === 'used' || outcome.run.reason === 'judge_error'
}

/** For a run of a case whose other runs have expectations: without any, it is not ungraded by design. */
function markEmptyGrading(outcome: RunOutcome): RunOutcome {
  if (outcome.status === 'used' || outcome.run.reason !== 'ungraded') return outcome
  return { ...outcome, run: { ...outcome.run, reason: 'missing', message: emptyGrading } }
}

function limitToDecided(outcome: RunOutcome & { status: 'used' }, alike: readonly RunOutcome[]): RunOutcome {
  const { run, judgeErrors } = outcome
  const only = judgeErrors.find(({ text }) => !alike.every((one) => isStatementUndecided(one, text)))
  if (only === undefined) return outcome
  const { eval_id, eval_name, configuration, run_number, expectations } = run
  const of = `${judgeErrors.length} of ${judgeErrors.length + expectations.length} expectations`
  const why: ExclusionReason = { reason: 'judge_error', kind: null, message: `${of} undecided: ${only.reason}` }
  const left = { eval_id, eval_name, configuration, run_number, ...why, judge_errors: [...judgeErrors] }
  return { status: 'excluded', run: left, judgeErrors }
}

function isStatementUndecided({ judgeErrors }: RunOutcome, text: string): boolean {
  return judgeErrors.some((error) => error.text === text)
}

function classify(planned: PlannedRun, input: AggregateInput): RunOutcome {
  const result = input.results.get(planned.run_id) ?? null
  const one = input.cases.find((each) => each.eval_id === planned.eval_id)
  const judgeErrors = keepRated(result?.grading?.judge_errors ?? [])
  const found = whyExcluded(result, one, input.onTimeout)
  const why = one?.quarantine === undefined ? found : whyQuarantined(one.quarantine, found, result)
  if (why === null && result?.grading) {
    return { status: 'used', run: buildBenchmarkRun(planned, result, result.grading), judgeErrors }
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

const ungradedYet: ExclusionReason = { reason: 'missing', kind: null, message: 'the run ended, but it has no grading' }
const noCriteria: ExclusionReason = {
  reason: 'ungraded',
  kind: null,
  message: 'the case has no expectations and no checks',
}

function whyExcluded(
  result: RunWithGrading | null,
  one: ReportCase | undefined,
  onTimeout: 'fail' | 'exclude',
): ExclusionReason | null {
  if (result === null)
    return { reason: 'missing', kind: null, message: 'the run did not take place, or its record is unusable' }
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

function whyUngraded(grading: RunWithGrading['grading'], one: ReportCase | undefined): ExclusionReason | null {
  if (isUngradedByDesign(one)) return noCriteria
  if (grading === null) return ungradedYet
  if (keepRated(grading.expectations).length > 0 || grading.summary.source !== undefined) return null
  const errors = keepRated(grading.judge_errors ?? [])
  const [first] = errors
  if (first === undefined) return noCriteria
  return { reason: 'judge_error', kind: null, message: `nothing was decided: ${first.reason}` }
}

function isUngradedByDesign(one: ReportCase | undefined): boolean {
  return one?.expectations?.length === 0 && one.checks?.length === 0
}

/** Why a run of a quarantined case is not in the rates. `otherwise`: why it would be excluded anyway; a run that did not take place is missing all the same. */
function whyQuarantined(
  quarantine: Quarantine,
  otherwise: ExclusionReason | null,
  result: RunWithGrading | null,
): ExclusionReason {
  if (otherwise?.reason === 'missing' || otherwise?.reason === 'cancelled') return otherwise
  const summary = result?.grading?.summary
  const passed = summary === undefined ? 'graded' : `${summary.passed} of ${summary.total} passed`
  const end = otherwise === null ? passed : `${otherwise.kind ?? otherwise.reason}: ${otherwise.message}`
  return { reason: 'quarantined', kind: null, message: quarantine === true ? end : `${end} (${quarantine})` }
}

export function keepCountingRuns({ planned, cases }: Pick<AggregateInput, 'planned' | 'cases'>): PlannedRun[] {
  const apart = new Set(cases.flatMap(({ eval_id, quarantine }) => (quarantine === undefined ? [] : eval_id)))
  return planned.filter(({ eval_id }) => !apart.has(eval_id))
}

/** Counts come from the list of expectations; from the grading's summary only if another tool kept no list. */
function buildBenchmarkRun(planned: PlannedRun, result: RunWithGrading, grading: Grading): BenchmarkRun {
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
      ...(record?.skill.listing && { skill_listing: record.skill.listing }),
      ...(record?.permission_denials?.includes('Skill') && { skill_denied: true as const }),
      ...(undecided === 0 ? {} : { undecided }),
      ...(record?.agent_crashes && { agent_crashes: record.agent_crashes }),
      ...(record?.status === 'timed_out' && { timed_out: true }),
      ...(record?.status === 'timed_out' && record.provider_unseen && { provider_unseen: true as const }),
      ...(record?.asked_user && { asked_user: true }),
      ...(record?.text_tool_call && { text_tool_call: true }),
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
  return record?.usage ? countTokens(record.usage) : (timing?.total_tokens ?? null)
}

const joinSaid = (about: string | undefined, said: string) => [about, said].filter(Boolean).join(': ')

/** What else the grading says: first the notes that skill-creator's aggregator takes, in its order. */
function listGradingNotes(grading: Grading): string[] {
  const { user_notes_summary: said, claims = [], eval_feedback, judge_errors = [], injection_attempts = [] } = grading
  const { suggestions = [], overall = '' } = eval_feedback ?? {}
  const advice = [...suggestions.map(({ assertion, reason }) => joinSaid(assertion, reason)), overall].filter(Boolean)
  return [
    ...(said?.uncertainties ?? []),
    ...(said?.needs_review ?? []),
    ...(said?.workarounds ?? []),
    ...claims.map((one) => {
      return `Claim (${one.type}), ${one.verified ? '' : 'not '}verified: ${joinSaid(one.claim, one.evidence)}`
    }),
    ...advice.map((text) => `On the evals: ${text}`),
    ...judge_errors.map(({ text, reason }) => `Not decided: ${text} (${reason})`),
    ...injection_attempts.map(({ file, line, text }) => {
      return `Seems to talk to the judge: ${file}${line === null ? '' : `:${line}`}: ${text}`
    }),
  ]
}

function roundRunCost(usd: number | null): number | null {
  return usd === null ? null : roundDollars(usd)
}

/**
 * The results, where runs that another model answered than most have failed: a provider or an agent may change the model, and then a
 * difference is not the skill's. Recorded sessions may have any model.
 */
export function failOtherModels({ results, observational }: AggregateInput): AggregateInput['results'] {
  const models = [...results.values()].flatMap(({ record }) =>
    record?.status === 'completed' ? (record.engine.model ?? []) : [],
  )
  const [usual] = [...toGroups(models, (model) => model).values()].sort((a, b) => b.length - a.length)
  if (usual?.[0] === undefined || usual.length === models.length || observational) return results
  const [model] = usual
  return new Map([...results].map(([id, result]) => [id, failOther(result, model)]))
}

/** Repeating the command keeps the run: it has ended. */
export const otherModelFix = 'bench again with --fresh, and name one model with --model'

function failOther(result: RunWithGrading, usual: string): RunWithGrading {
  const { record } = result
  if (record?.status !== 'completed' || record.engine.model === null || record.engine.model === usual) return result
  const { name, model } = record.engine
  const message = `${name} answered with ${model}, other runs with ${usual}: ${otherModelFix}`
  return { ...result, record: { ...record, status: 'failed', error: { kind: 'setup', message } } }
}
