/** Trajectories in Harbor's Agent Trajectory Interchange Format, versions 1.0 to 1.7: https://harborframework.com/docs/trajectory-format */
import * as z from 'zod'
import type { Usage } from '../../../../schemas/usage.ts'
import { contentText } from '../../../engines/cli/json_line.ts'
import { knownUsage, noUsage } from '../../../engines/models/cost.ts'
import type { SessionDocumentFormat, SessionFile, SessionOutcome } from '../session.ts'
import { recordMessages, type SessionMessage } from './messages.ts'

const count = z.number().int().nonnegative().nullish().catch(null)
const dollars = z.number().nonnegative().nullish().catch(null)
const content = z.unknown()

const step = z.looseObject({
  source: z.enum(['user', 'agent', 'system']),
  message: content,
  timestamp: z.unknown().optional(),
  model_name: z.string().nullish().catch(null),
  reasoning_content: z.string().nullish().catch(null),
  tool_calls: z
    .array(z.looseObject({ tool_call_id: z.string(), function_name: z.string(), arguments: z.unknown() }))
    .nullish(),
  observation: z
    .looseObject({ results: z.array(z.looseObject({ source_call_id: z.string().nullish(), content })).default([]) })
    .nullish(),
  metrics: z
    .looseObject({ prompt_tokens: count, completion_tokens: count, cached_tokens: count, cost_usd: dollars })
    .nullish()
    .catch(null),
  is_copied_context: z.boolean().nullish().catch(null),
})

const trajectory = z.looseObject({
  schema_version: z.string().regex(/^ATIF-v1\.\d+$/),
  session_id: z.string().nullish().catch(null),
  trajectory_id: z.string().nullish().catch(null),
  agent: z
    .looseObject({ model_name: z.string().nullish().catch(null) })
    .optional()
    .catch(undefined),
  steps: z.array(z.unknown()),
  final_metrics: z
    .looseObject({
      total_prompt_tokens: count,
      total_completion_tokens: count,
      total_cached_tokens: count,
      total_cost_usd: dollars,
    })
    .nullish()
    .catch(null),
})

type Trajectory = z.infer<typeof trajectory>
type Step = z.infer<typeof step>
type Count = z.infer<typeof count>

export const atifTrajectory: SessionDocumentFormat = {
  recognizes: (document) => trajectory.safeParse(document).success,
  read: (document, file) => readTrajectory(trajectory.parse(document), file),
}

function readTrajectory(whole: Trajectory, file: SessionFile): SessionOutcome {
  const totals = whole.final_metrics
  return recordMessages(
    {
      agent: 'atif',
      id: whole.session_id ?? whole.trajectory_id ?? null,
      model: whole.agent?.model_name ?? null,
      messages: whole.steps.map((one) => {
        const { data } = step.safeParse(one)
        if (data === undefined) return { unread: one }
        return data.is_copied_context === true ? null : toMessage(data) // of an earlier trajectory
      }),
      usage: totals
        ? toUsage(totals.total_prompt_tokens, totals.total_completion_tokens, totals.total_cached_tokens)
        : null,
      costUsd: totals?.total_cost_usd ?? null,
    },
    file,
  )
}

function toMessage({ source, message, timestamp, tool_calls, observation, metrics, ...one }: Step): SessionMessage {
  return {
    ...{ role: source === 'agent' ? 'assistant' : source, text: contentText(message), time: timestamp },
    model: one.model_name ?? null,
    thinking: one.reasoning_content ?? '',
    calls: (tool_calls ?? []).map(({ tool_call_id: id, function_name: name, arguments: input }) => ({
      id,
      name,
      input,
    })),
    results: (observation?.results ?? []).map(({ source_call_id: id, content: output }) => {
      return { id: id ?? '', output: contentText(output), isError: false }
    }),
    usage: metrics ? toUsage(metrics.prompt_tokens, metrics.completion_tokens, metrics.cached_tokens) : null,
    costUsd: metrics?.cost_usd ?? null,
  }
}

/** Prompt tokens include cached ones. */
function toUsage(prompt: Count, completion: Count, cached: Count): Usage | null {
  return knownUsage({
    ...noUsage,
    input_tokens: Math.max(0, (prompt ?? 0) - (cached ?? 0)),
    output_tokens: completion ?? 0,
    cache_read_tokens: cached ?? 0,
  })
}
