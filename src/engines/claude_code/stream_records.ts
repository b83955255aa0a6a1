/** The lines of Claude Code's stream-json that are used here; fields without a name here are kept and ignored. */
import * as z from 'zod'

const block = z.looseObject({ type: z.string() })
const parts = z.array(block)

const initRecord = z.looseObject({
  type: z.literal('system'),
  subtype: z.literal('init'),
  session_id: z.string().optional(),
  model: z.string().optional(),
  claude_code_version: z.string().optional(),
  tools: z.array(z.string()).optional(),
  skills: z.array(z.string()).optional(),
  mcp_servers: z
    .array(z.union([z.string(), z.looseObject({ name: z.string(), status: z.string().optional() })]))
    .optional(),
  plugins: z.array(z.looseObject({ name: z.string(), path: z.string().optional() })).optional(),
})

/** With --include-hook-events: a hook has ended. */
const hookRecord = z.looseObject({
  type: z.literal('system'),
  subtype: z.literal('hook_response'),
  hook_name: z.string().default(''),
  hook_event: z.string(),
  stdout: z.string().default(''),
  stderr: z.string().default(''),
  exit_code: z.number().nullish(),
  outcome: z.string().optional(),
})

const count = z.number().int().nonnegative().default(0)

const plainUsage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
})

const assistantRecord = z.looseObject({
  type: z.literal('assistant'),
  message: z.looseObject({
    id: z.string().optional(),
    model: z.string().optional(),
    content: parts,
    usage: plainUsage.optional().catch(undefined),
  }),
  /** The call of the sub-agent that answered; null: the main conversation did. */
  parent_tool_use_id: z.string().nullish(),
  /** Set if Claude Code reports a failed request in place of the model's answer. */
  error: z.string().optional(),
})

const userRecord = z.looseObject({
  type: z.literal('user'),
  message: z.looseObject({ content: z.union([z.string(), parts]) }),
})

/** Tokens of one model, also in the records of a session. */
export const claudeModelUsage = z.looseObject({
  inputTokens: count,
  outputTokens: count,
  cacheReadInputTokens: count,
  cacheCreationInputTokens: count,
  thinkingTokens: count,
})

/** Claude Code waits before it sends a request again. */
const retryRecord = z.looseObject({
  type: z.literal('system'),
  subtype: z.literal('api_retry'),
  retry_delay_ms: z.number().nonnegative().default(0),
  error_status: z.number().nullish(),
  error: z.string().nullish(),
})

const resultRecord = z.looseObject({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean().default(false),
  result: z.string().nullish(),
  session_id: z.string().optional(),
  stop_reason: z.string().nullish(),
  total_cost_usd: z.number().nonnegative().nullish(),
  usage: plainUsage.optional(),
  modelUsage: z.record(z.string(), claudeModelUsage).optional(),
  permission_denials: z.array(z.looseObject({ tool_name: z.string() })).default([]),
  structured_output: z.unknown().optional(),
  api_error_status: z.number().nullish(),
  errors: z.array(z.string()).optional(),
})

export const claudeRecord = z.union([initRecord, hookRecord, assistantRecord, userRecord, resultRecord, retryRecord])

/** The limit of a subscription that refuses requests, with its end in seconds since 1970. */
export const rateLimit = z.looseObject({
  type: z.literal('rate_limit_event'),
  rate_limit_info: z.looseObject({ status: z.literal('rejected'), resetsAt: z.number().positive().max(1e11) }),
})

export type ClaudeRecord = z.infer<typeof claudeRecord>
export type InitRecord = z.infer<typeof initRecord>
export type HookRecord = z.infer<typeof hookRecord>
export type AssistantRecord = z.infer<typeof assistantRecord>
export type UserRecord = z.infer<typeof userRecord>
export type ResultRecord = z.infer<typeof resultRecord>
export type RetryRecord = z.infer<typeof retryRecord>
export type PlainUsage = z.infer<typeof plainUsage>
export type ClaudeBlock = z.infer<typeof block>
