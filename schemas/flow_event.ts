/** Flow events: what a flow reports while it works; `--json` prints one per line. */
import * as z from 'zod'
import { detectable, untilLook } from './benchmark_statistics.ts'
import { stop } from './limits.ts'
import { driftTest } from './older_runs.ts'
import { failureKind } from './run.ts'
import { loadWarning } from './suite.ts'
import { suiteCommand } from './suite_command.ts'

/** On every event of a bench of several skills or cells: the one that the event belongs to. */
const of = {
  skill: z.string().optional().describe('where several are benched: the skill'),
  cell: z.string().optional().describe('in a matrix: engine:model'),
}

const run = {
  ...of,
  run_id: z.string(),
  eval_id: z.number().int(),
  eval_name: z.string(),
  configuration: z.string(),
  run_number: z.number().int(),
}

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
    runs: z.number().int().describe('planned'),
    runs_per_case: z.number().int(),
    detectable: detectable
      .extend({ cases: z.number().int().describe('that can run and have criteria') })
      .optional()
      .describe('the smallest difference that the planned runs will find; absent: runs are made anew'),
    first_look: z
      .number()
      .int()
      .positive()
      .optional()
      .describe('of --until decided: blocks until the first look, which may end it before all planned runs are made'),
    done: z.number().int().describe('already on disk, kept'),
    done_by_case: z
      .array(z.object({ eval_id: z.number().int(), configuration: z.string(), runs: z.number().int().positive() }))
      .optional()
      .describe('the same, by case and configuration; absent: none'),
    choices: z.array(z.string()).describe('which engine and judge were taken where none was named, and why'),
    warnings: z.array(loadWarning).describe('what the loader had to forgive'),
    cannot_run: z.array(z.object({ eval_id: z.number().int(), reason: z.string() })),
  }),
  z.object({
    type: z.literal('suite_commands'),
    ...of,
    suite: z.string().describe('the file or folder that brings them'),
    confined: z.boolean().describe('whether a sandbox holds them; false: they run as the user'),
    commands: z.array(suiteCommand),
  }),
  z.object({ type: z.literal('run_started'), ...run }),
  z.object({
    type: z.literal('run_retried'),
    ...run,
    attempt: z.number().int().describe('the one that failed'),
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
    again: z.number().int().positive().optional().describe('the n-th repetition of grade --again'),
    cached: z.boolean().optional().describe('true: no judge was asked'),
  }),
  z.object({
    type: z.literal('runs_reused'),
    ...of,
    runs: z.number().int().positive(),
    planned: z.number().int(),
    oldest: z.iso.datetime().describe('when the oldest of them was made'),
    by_configuration: z.record(z.string(), z.number().int()),
  }),
  z.object({
    type: z.literal('older_runs'),
    ...of,
    configuration: z.string(),
    older: z.number().int().positive().describe('runs too old to be compared with those of the other configuration'),
    again: z.number().int().nonnegative().describe('of them, run again'),
    tested: z.boolean().describe('whether the new results are compared with the older ones; false: all are run again'),
    baseline_age_seconds: z.number().nonnegative(),
    repeated: z.number().int().nonnegative().describe('runs to run again that counted as finished until now'),
  }),
  z.object({ type: z.literal('drift_tested'), ...of, ...driftTest.shape }),
  z.object({
    type: z.literal('artefact_damaged'),
    ...of,
    file: z.string(),
    message: z.string().describe('what is wrong with it, and where'),
    mended: z.string().describe('what is done about it'),
  }),
  z.object({
    type: z.literal('looked'),
    ...of,
    ...untilLook.omit({ verdict: true }).shape,
    next: z.number().int().positive().nullable().describe('blocks at the next look; null: it has ended'),
    reason: z.string().describe('whether it goes on, for a person'),
  }),
  z.object({
    type: z.literal('queue_awaited'),
    ...of,
    place: z.string().describe('the queue server, without user and password'),
    message: z.string().describe('why it can not be reached'),
    wait_ms: z.number().describe('it is waited for at most so long'),
  }),
  z.object({
    type: z.literal('queue_unmet'),
    ...of,
    queue: z.string(),
    engine: z.string(),
    tags: z.array(z.string()),
    message: z.string().describe('why no worker takes the runs that are out'),
    fix: z.string(),
  }),
  z.object({ type: z.literal('queue_met'), ...of, queue: z.string() }),
  z.object({
    type: z.literal('queue_silent'),
    ...of,
    place: z.string().describe('the queue server that answers no more, without user and password'),
  }),
  z.object({ type: z.literal('queue_answers'), ...of, place: z.string().describe('the same, once it does again') }),
  z.object({
    type: z.literal('queue_lost'),
    ...of,
    place: z.string().describe('the queue server, without user and password'),
    jobs: z
      .number()
      .int()
      .positive()
      .describe('that it knew no more, though nobody had cancelled them; they were submitted again'),
  }),
  z.object({
    type: z.literal('waiting'),
    ...of,
    why: z.string().describe('what everything waits for'),
    works: z.number().int().positive().describe('runs and judges that wait'),
    until: z.iso.datetime().nullable().describe('the time that the provider named; null: none'),
    gives_up_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'when --max-wait ends the command, if nothing gets on by then; null: the named time is waited for first',
      ),
  }),
  z.object({ type: z.literal('waiting_ended'), ...of }),
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
  z.object({
    type: z.literal('comparison_planned'),
    ...of,
    folder: z.string().describe('where the verdicts are written'),
    a: z.string(),
    b: z.string(),
    judge: z.string(),
    pairs: z.number().int(),
    done: z.number().int().describe('judged already, kept'),
    skipped: z.array(
      z.object({ eval_id: z.number().int(), eval_name: z.string(), number: z.number().int(), reason: z.string() }),
    ),
    choices: z.array(z.string()),
  }),
  z.object({
    type: z.literal('comparison_analyzed'),
    ...of,
    eval_id: z.number().int(),
    eval_name: z.string(),
    number: z.number().int(),
    error: z.string().nullable(),
    cached: z.boolean().describe('true: analyzed earlier, nobody was asked'),
  }),
  z.object({
    type: z.literal('pair_judged'),
    ...of,
    eval_id: z.number().int(),
    eval_name: z.string(),
    number: z.number().int().describe('of comparison-N.json'),
    winner: z.string().nullable().describe('the side, or tie; null: the judge failed'),
    flips: z.number().int(),
    error: z.string().nullable(),
    cost_usd: z.number().nullable(),
    cached: z.boolean().describe('true: judged earlier, nobody was asked'),
  }),
  z.object({
    type: z.literal('triggers_planned'),
    ...of,
    folder: z.string(),
    skill_name: z.string(),
    engine: z.string(),
    model: z.string().nullable(),
    queries: z.array(z.object({ eval_id: z.number().int(), eval_name: z.string(), should_trigger: z.boolean() })),
    among: z.array(z.string()).describe('skills installed beside it'),
    runs: z.number().int().describe('planned'),
    done: z.number().int().describe('already on disk, kept'),
    choices: z.array(z.string()),
    warnings: z.array(loadWarning),
  }),
  z.object({
    type: z.literal('description_measured'),
    ...of,
    round: z.number().int().nonnegative().describe('0: the description as it is'),
    description: z.string(),
    behaves: z.number().nullable().describe('on the training queries; null: it was refused'),
    refused: z.string().nullable(),
  }),
  z.object({
    type: z.literal('triggers_written'),
    ...of,
    folder: z.string(),
    file: z.string(),
    complete: z.boolean(),
    passed: z.number().int().describe('queries'),
    total: z.number().int(),
  }),
  z.object({
    type: z.literal('improve_step'),
    ...of,
    iteration: z.number().int().nonnegative().describe('0: before the first proposal, or after the last'),
    step: z.enum(['session', 'baseline', 'propose', 'refused', 'train', 'validation', 'verdict', 'test', 'stopped']),
    version: z.string().nullable(),
    message: z.string().describe('for a person'),
  }),
  z.object({
    type: z.literal('drafting'),
    ...of,
    skill_name: z.string(),
    by: z.string().describe('who drafts: engine:model'),
    wanted: z.number().int().positive().describe('cases'),
    made: z.number().int().nonnegative(),
    left_out: z.number().int().nonnegative().describe('drafts that could not be used'),
  }),
  z.object({
    type: z.literal('place_passed_over'),
    ...of,
    place: z.string().describe('as it was given'),
    reason: z.string(),
  }),
  z.object({
    type: z.literal('skill_failed'),
    ...of,
    message: z.string().describe('why it has no benchmark; the others go on'),
    fix: z.string().nullable(),
  }),
])

export type FlowEvent = z.infer<typeof flowEvent>
