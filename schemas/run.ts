/** `run.json`, the RunRecord: how one run ended and what the engine reported. A broken run is a record, never a zero. */
import * as z from 'zod'
import { cachedFrom } from './cached_from.ts'
import { conversationRecord } from './conversation.ts'
import { heldBack } from './held_back.ts'
import { pathBelow, pathWithin } from './paths.ts'
import { activation, configuration, sandboxUse } from './plan.ts'
import { cost, usage } from './usage.ts'

/** Why a run has no outcome to grade. All are failures of infrastructure: counted separately, never in a pass rate. */
export const failureKind = z.enum([
  'missing_binary',
  'credentials',
  'unreachable',
  'rate_limited',
  'overloaded',
  'server_error',
  'bad_request',
  'crash',
  'bad_output',
  'setup',
  'skill_not_offered',
  'contaminated',
  'user_leak',
  'user_error',
])

export const outputFile = z.object({
  path: pathBelow.describe('path relative to outputs/'),
  bytes: z.number().int().nonnegative(),
  sha256: z.string(),
  change: z.enum(['created', 'modified']),
})

/** What the model learned of the skill from the agent's list of skills. */
export const skillListing = z.object({
  description: z
    .enum(['full', 'cut', 'left_out'])
    .describe("how the skill's description came in the agent's first request to the model"),
  others: z
    .number()
    .int()
    .nonnegative()
    .nullable()
    .describe("other skills that the agent listed, its own included; null: it doesn't report them"),
})

const shared = {
  schema_version: z.literal(1),
  run_id: z.string(),
  eval_id: z.number().int(),
  eval_name: z.string(),
  configuration,
  run_number: z.number().int().positive(),
  key: z.string(),
  engine: z.object({
    name: z.string(),
    version: z.string().nullable(),
    model: z.string().nullable().describe('the model that was actually used'),
    provider: z.string().nullable(),
    effort: z.string().optional().describe("the level from --effort; absent: the engine's default"),
  }),
  observed: z
    .literal(true)
    .optional()
    .describe('true: a recorded session, which Whetstone did not perform; absent: Whetstone performed the run'),
  activation,
  started_at: z.iso.datetime(),
  ended_at: z.iso.datetime(),
  duration_ms: z
    .number()
    .nonnegative()
    .describe(
      "the agent's wall time in the attempt that counts, without waits for retries, suspensions, setup and grading",
    ),
  suspended_ms: z
    .number()
    .nonnegative()
    .optional()
    .describe(
      'time in which Whetstone was suspended or got no CPU time; counts neither in duration_ms nor in the time limit; absent: none',
    ),
  attempts: z.number().int().positive(),
  agent_crashes: z
    .number()
    .int()
    .positive()
    .optional()
    .describe(
      'earlier attempts at this run, also before the benchmark was resumed, in which the agent ended without an answer after the model had answered; absent: none',
    ),
  held_back: heldBack
    .optional()
    .describe('waits for rate limits and slots of a server; absent: no refused request and no wait'),
  session_id: z.string().nullable(),
  usage: usage.nullable().describe('null: the engine does not report tokens'),
  cost: cost.nullable().describe('null: unknown'),
  further_calls: z
    .object({ calls: z.number().int().positive(), tokens: z.number().int().positive() })
    .optional()
    .describe(
      "model calls that passed the credential proxy and are not in the agent's own report, such as those of programs that it started; usage and cost include them; absent: none, or no credential proxy",
    ),
  steps: z.number().int().nonnegative().describe('model responses; 1 if the engine does not report them'),
  model_answered: z
    .boolean()
    .optional()
    .describe('whether the model gave at least one complete response; absent: the engine does not see its provider'),
  retried_error: failureKind
    .nullable()
    .optional()
    .describe('the provider error that was still being retried when the run ended; null: none'),
  stop_reason: z.string().nullable(),
  exit_code: z.number().int().nullable(),
  signal: z.string().nullable(),
  final_response: z.string(),
  conversation: conversationRecord.optional().describe('the dialogue of a case with several turns; absent: one turn'),
  skill: z.object({
    offered: z.boolean().nullable().describe('whether the engine listed it; null: not reported'),
    listing: skillListing.optional().describe('absent: not known'),
    read: z
      .boolean()
      .nullable()
      .describe(
        'whether its SKILL.md was read; null: the engine does not report its tool calls, or the answer is a tool call written as text',
      ),
    read_at_step: z.number().int().nonnegative().nullable(),
  }),
  skills_read: z
    .array(z.object({ name: z.string(), step: z.number().int().nonnegative() }))
    .optional()
    .describe(
      'every skill that was read, in order, each once; absent: no other skills were next to the skill, or the engine does not report reads',
    ),
  loaded: z
    .object({
      skills: z.array(z.string()),
      tools: z.array(z.string()).nullable(),
      mcp_servers: z.array(z.string()).nullable(),
      plugins: z.array(z.string()).optional().describe('plugins that are not part of the agent itself'),
    })
    .nullable()
    .describe('what the engine reports as loaded; null: not reported'),
  sandbox: z
    .object({
      mechanism: z.enum([...sandboxUse.shape.mechanism.options, 'container']),
      network: z.enum(['none', 'endpoint', 'open']),
    })
    .optional()
    .describe(
      "sandbox of the agent; network none applies to the agent's tools if the model is called from outside the sandbox",
    ),
  asked_user: z
    .object({
      question: z.string().describe('the question, at most 500 characters'),
      via: z.string().describe('the tool that asked, or final_response'),
    })
    .optional()
    .describe('the run ended with a question to the user; absent: no question, or written by an older version'),
  text_tool_call: z
    .literal(true)
    .optional()
    .describe(
      'the answer is nothing but a tool call written as text, which no tool performed; absent: it is not, or no tools were offered',
    ),
  permission_denials: z.array(z.string()).nullable().describe('tools whose call was refused; null: unknown'),
  outputs: z.object({
    files: z.array(outputFile),
    deleted: z.array(pathBelow).describe('input files that the agent removed'),
    left_out: z.array(z.object({ path: pathWithin, reason: z.string() })),
  }),
  warnings: z.array(z.string()),
  cached_from: cachedFrom.optional().describe('origin of a cached run; absent: run for this benchmark'),
}

export const runRecord = z.discriminatedUnion('status', [
  z.object({ status: z.literal('completed'), ...shared }),
  z.object({
    status: z.literal('timed_out'),
    provider_unseen: z
      .literal(true)
      .optional()
      .describe(
        'true: the engine does not see its provider, which may have been unresponsive; absent: the model had answered',
      ),
    ...shared,
  }),
  z.object({
    status: z.literal('failed'),
    error: z.object({ kind: failureKind, message: z.string() }),
    ...shared,
  }),
  z.object({ status: z.literal('cancelled'), ...shared }),
])

const counts = {
  key: true,
  configuration: true,
  engine: true,
  ended_at: true,
  duration_ms: true,
  suspended_ms: true,
  agent_crashes: true,
  held_back: true,
  usage: true,
  cost: true,
  further_calls: true,
  conversation: true,
  skill: true,
  skills_read: true,
  asked_user: true,
  text_tool_call: true,
  permission_denials: true,
  cached_from: true,
} as const
const [completed, timedOut, failed, cancelled] = runRecord.options

/** Outputs are not counted, but they are parsed: no reader accepts a run with a path that leads out of its outputs. */
const looked = { status: true, outputs: true, ...counts } as const

/** The part of a record that a benchmark needs: records are read by the ten thousand, so the rest is skipped. */
export const countedRecord = z.discriminatedUnion('status', [
  completed.pick(looked),
  timedOut.pick({ provider_unseen: true, ...looked }),
  failed.pick({ error: true, ...looked }),
  cancelled.pick(looked),
])

type WithoutOutputs<R> = R extends unknown ? Omit<R, 'outputs'> : never
export type CountedRecord = WithoutOutputs<z.infer<typeof countedRecord>>

export type FailureKind = z.infer<typeof failureKind>
export type OutputFile = z.infer<typeof outputFile>
export type SkillListing = z.infer<typeof skillListing>
export type RunRecord = z.infer<typeof runRecord>
