/** Flow events: what a flow reports while it works; `--json` prints one per line. */
import * as z from 'zod'
import { detectable, untilLook } from './benchmark_statistics.ts'
import { foreignResults, runsReused, sharedCacheTrouble } from './cache_events.ts'
import { changesFound } from './changes_found.ts'
import { comparisonAnalyzed, comparisonPlanned, pairJudged } from './comparison_events.ts'
import { batchProgress } from './judge_batches.ts'
import { stop } from './limits.ts'
import { driftTest } from './older_runs.ts'
import { rankLook } from './rank.ts'
import { failureKind } from './run.ts'
import { loadWarning } from './suite.ts'
import { suiteCommand } from './suite_command.ts'
import { taskTried } from './task_tried.ts'
import { triggerRound } from './trigger_matrix.ts'

/** On every event of a bench of several skills or cells: the one that the event belongs to. */
const of = {
  skill: z.string().optional().describe('the skill, if several are benchmarked'),
  cell: z.string().optional().describe('engine:model, in a matrix'),
}

const run = {
  ...of,
  run_id: z.string(),
  eval_id: z.number().int(),
  eval_name: z.string(),
  configuration: z.string(),
  run_number: z.number().int(),
}

const runsByCase = z.array(
  z.object({ eval_id: z.number().int(), configuration: z.string(), runs: z.number().int().positive() }),
)

/** What a run does while the judge reads it. */
export const gradingStep = 'is graded'

export const flowEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('plan_ready'),
    ...of,
    folder: z.string().describe('the benchmark folder'),
    skill_name: z.string(),
    engine: z.string(),
    model: z.string().nullable(),
    judge: z.string().nullable(),
    candidate: z.string(),
    baseline: z.string(),
    cases: z.array(z.object({ eval_id: z.number().int(), eval_name: z.string() })),
    runs: z.number().int().describe('planned runs'),
    runs_per_case: z.number().int(),
    detectable: detectable
      .extend({ cases: z.number().int().describe('cases that can run and have criteria') })
      .optional()
      .describe(
        'minimum detectable effect of the planned runs; absent: the start only repeats runs, or is a step of improve',
      ),
    first_look: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('with --until decided: blocks before the first interim analysis, which may stop the benchmark early'),
    planned_by_case: runsByCase
      .optional()
      .describe('planned runs of each case and configuration; absent: all have runs_per_case'),
    done: z.number().int().describe('runs already on disk, which are kept'),
    shared: z.int().optional().describe('those of them that another comparison of the command just ran'),
    done_by_case: runsByCase.optional().describe('the same, by case and configuration; absent: none'),
    choices: z.array(z.string()).describe('which engine and judge were chosen if none was named, and why'),
    warnings: z.array(loadWarning).describe('mistakes that the loader tolerated'),
    cannot_run: z.array(z.object({ eval_id: z.number().int(), reason: z.string() })),
  }),
  z.object({
    type: z.literal('suite_commands'),
    ...of,
    suite: z.string().describe('the file or folder that contains them'),
    confined: z.boolean().describe("true: they run in a sandbox; false: they run with the user's rights"),
    commands: z.array(suiteCommand),
  }),
  z.object({ type: z.literal('run_started'), ...run }),
  z.object({
    type: z.literal('run_step'),
    ...run,
    doing: z
      .string()
      .describe('what the run does now, such as "waits for the model", "Read SKILL.md" or "is graded" (by a judge)'),
  }),
  z.object({
    type: z.literal('run_retried'),
    ...run,
    attempt: z.number().int().describe('number of the attempt that failed'),
    kind: failureKind,
    message: z.string(),
    wait_ms: z.number(),
  }),
  z.object({
    type: z.literal('run_finished'),
    ...run,
    status: z.enum(['completed', 'timed_out', 'failed', 'cancelled']),
    kind: failureKind.nullable(),
    message: z.string().nullable(),
    duration_ms: z.number(),
    tokens: z.number().nullable(),
    cost_usd: z.number().nullable(),
    skill_read: z.boolean().nullable(),
    cached: z.boolean().optional().describe('true: taken from the cache, nothing was started or paid'),
  }),
  z.object({
    type: z.literal('grade_finished'),
    ...run,
    passed: z.number().int(),
    total: z.number().int(),
    pass_rate: z.number().nullable().describe('null: nothing was decided'),
    judge_errors: z.number().int(),
    cost_usd: z.number().nullable(),
    again: z.number().int().positive().optional().describe('number of the repetition (grade --again)'),
    cached: z.boolean().optional().describe('true: no judge was asked'),
  }),
  runsReused.extend(of),
  sharedCacheTrouble.extend(of),
  foreignResults.extend(of),
  z.object({
    type: z.literal('older_runs'),
    ...of,
    configuration: z.string(),
    older: z.number().int().positive().describe('runs too old to be compared with those of the other configuration'),
    again: z.number().int().nonnegative().describe('how many of them run again'),
    tested: z.boolean().describe('whether the new results are compared with the older ones; false: all are run again'),
    baseline_age_seconds: z.number().nonnegative(),
    repeated: z.number().int().nonnegative().describe('runs that counted as finished and now run again'),
  }),
  z.object({ type: z.literal('drift_tested'), ...of, ...driftTest.shape }),
  z.object({
    type: z.literal('artefact_damaged'),
    ...of,
    file: z.string(),
    message: z.string().describe('what is wrong with it, and where'),
    mended: z.string().describe('how it is repaired'),
  }),
  z.object({
    type: z.literal('looked'),
    ...of,
    ...untilLook.omit({ verdict: true }).shape,
    next: z.number().int().positive().nullable().describe('blocks at the next interim analysis; null: no further one'),
    reason: z.string().describe('whether and why the benchmark continues, in plain words'),
  }),
  z.object({
    type: z.literal('queue_awaited'),
    ...of,
    place: z.string().describe('the queue server, without user and password'),
    message: z.string().describe('why it cannot be reached'),
    wait_ms: z.number().describe('maximum wait'),
  }),
  z.object({
    type: z.literal('queue_unmet'),
    ...of,
    queue: z.string(),
    engine: z.string(),
    tags: z.array(z.string()),
    message: z.string().describe('why no worker takes the submitted runs'),
    fix: z.string(),
  }),
  z.object({ type: z.literal('queue_met'), ...of, queue: z.string() }),
  z.object({
    type: z.literal('queue_silent'),
    ...of,
    place: z.string().describe('the queue server that stopped answering, without user and password'),
  }),
  z.object({
    type: z.literal('queue_answers'),
    ...of,
    place: z.string().describe('the queue server that answers again, without user and password'),
  }),
  z.object({
    type: z.literal('queue_lost'),
    ...of,
    place: z.string().describe('the queue server, without user and password'),
    jobs: z
      .number()
      .int()
      .positive()
      .describe('jobs that the server lost although they were not cancelled; they were submitted again'),
  }),
  z.object({
    type: z.literal('waiting'),
    ...of,
    why: z.string().describe('what the benchmark waits for'),
    works: z.number().int().positive().describe('waiting runs and judges'),
    until: z.iso.datetime().nullable().describe('when the provider says requests are allowed again; null: not given'),
    gives_up_at: z.iso
      .datetime()
      .nullable()
      .describe('when --max-wait ends the command, unless something proceeds; null: after the time the provider gave'),
  }),
  z.object({ type: z.literal('waiting_ended'), ...of }),
  z.object({ type: z.literal('judge_batch'), ...of, ...batchProgress.shape }),
  z.object({ type: z.literal('limit_changed'), ...of, limit: z.number().int(), reason: z.string() }),
  z.object({ type: z.literal('budget_reached'), ...of, ...stop.shape }),
  z.object({
    type: z.literal('benchmark_written'),
    ...of,
    folder: z.string(),
    benchmark: z.string(),
    complete: z.boolean(),
    used: z.number().int(),
    planned: z.number().int(),
  }),
  z.object({
    type: z.literal('last_failed'),
    ...of,
    benchmark: z.string().describe('the newest benchmark of the workspace'),
    cases: z.array(z.object({ eval_id: z.number().int(), eval_name: z.string(), reason: z.string() })),
  }),
  comparisonPlanned.extend(of),
  comparisonAnalyzed.extend(of),
  pairJudged.extend(of),
  z.object({
    type: z.literal('triggers_planned'),
    ...of,
    folder: z.string(),
    skill_name: z.string(),
    engine: z.string(),
    model: z.string().nullable(),
    queries: z.array(z.object({ eval_id: z.number().int(), eval_name: z.string(), should_trigger: z.boolean() })),
    among: z.array(z.string()).describe('other skills installed next to it'),
    runs: z.number().int().describe('planned runs'),
    is_most: z.literal(true).optional().describe('runs is the maximum: queries that are decided end early'),
    done: z.number().int().describe('runs already on disk, which are kept'),
    choices: z.array(z.string()),
    warnings: z.array(loadWarning),
  }),
  z.object({
    type: z.literal('triggers_written'),
    ...of,
    folder: z.string(),
    file: z.string(),
    complete: z.boolean(),
    passed: z.number().int().describe('queries that pass'),
    total: z.number().int(),
  }),
  z.object({ type: z.literal('trigger_round'), ...of, ...triggerRound.shape }),
  rankLook.extend(of),
  z.object({
    type: z.literal('improve_step'),
    ...of,
    round: z.number().int().nonnegative().describe('0: before the first round, or after the last'),
    step: z.enum([
      'session',
      'show',
      'propose',
      'refused',
      'mix',
      'version',
      'certify',
      'certified',
      'confirm',
      'stopped',
      'screen',
      'screened',
    ]),
    version: z.string().nullable(),
    message: z.string().describe('message in plain words'),
  }),
  z.object({
    type: z.literal('drafting'),
    ...of,
    skill_name: z.string(),
    by: z.string().describe('the drafting model, as engine:model'),
    wanted: z.number().int().positive().describe('cases'),
    made: z.number().int().nonnegative(),
    left_out: z.number().int().nonnegative().describe('drafts that could not be used'),
  }),
  z.object({
    type: z.literal('reading_sessions'),
    ...of,
    done: z.number().int().nonnegative().describe('files of one place'),
    total: z.number().int().nonnegative(),
  }),
  taskTried.extend(of),
  changesFound.extend(of),
  z.object({
    type: z.literal('place_passed_over'),
    ...of,
    place: z.string().describe('path as given by the user'),
    reason: z.string(),
  }),
  z.object({
    type: z.literal('skill_failed'),
    ...of,
    message: z.string().describe('why it has no benchmark; the other skills continue'),
    fix: z.string().nullable(),
  }),
])

export type FlowEvent = z.infer<typeof flowEvent>
