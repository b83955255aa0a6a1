/** `transcript.jsonl`: what happened in a run, one event per line, the same for every engine. */
import * as z from 'zod'
import { usage } from './usage.ts'

const at = z.iso.datetime().describe('when the harness received it')
const step = z.number().int().nonnegative().describe('the model response it belongs to, from 1; 0 before the first')

export const transcriptEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('system'),
    at,
    step,
    subtype: z.string().describe("init, or the engine's name for a record of another type"),
    model: z.string().optional(),
    session_id: z.string().optional(),
    skills: z.array(z.string()).optional(),
    tools: z.array(z.string()).optional(),
    mcp_servers: z.array(z.string()).optional(),
    text: z.string().optional(),
    raw: z.json().optional(),
  }),
  z.object({ type: z.literal('user'), at, step, text: z.string() }),
  z.object({ type: z.literal('assistant'), at, step, text: z.string() }),
  z.object({ type: z.literal('thinking'), at, step, text: z.string() }),
  z.object({ type: z.literal('tool_call'), at, step, id: z.string(), name: z.string(), input: z.json() }),
  z.object({
    type: z.literal('tool_result'),
    at,
    step,
    id: z.string(),
    name: z.string(),
    output: z.string(),
    is_error: z.boolean(),
  }),
  z.object({
    type: z.literal('skill_read'),
    at,
    step,
    skill: z.string(),
    via: z.string().describe('the tool that read it'),
  }),
  z.object({
    type: z.literal('hook'),
    at,
    step,
    event: z.string().describe('such as PreToolUse'),
    tool: z.string().optional().describe('the tool that the hook is about'),
    outcome: z
      .string()
      .describe(
        'blocked: the call was prevented, or the agent had to continue; ok: no objection; error: the hook failed and had no effect',
      ),
    text: z.string().describe('reason of the block, otherwise the output of the hook'),
    exit_code: z
      .number()
      .int()
      .optional()
      .describe('absent: it did not end by itself, or the engine does not report it'),
  }),
  z.object({ type: z.literal('error'), at, step, kind: z.string(), message: z.string() }),
  z.object({
    type: z.literal('result'),
    at,
    step,
    text: z.string().describe('the final answer'),
    stop_reason: z.string(),
    usage: usage.nullable(),
    cost_usd: z.number().nonnegative().nullable(),
  }),
])

export type TranscriptEvent = z.infer<typeof transcriptEvent>
