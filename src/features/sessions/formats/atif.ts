/** Trajectories in Harbor's Agent Trajectory Interchange Format, versions 1.0 to 1.7: https://harborframework.com/docs/trajectory-format */
import * as z from 'zod'
import { contentText, toJsonValue } from '../../../engines/cli/json_line.ts'
import { knownUsage, noUsage } from '../../../engines/models/cost.ts'
import type { SessionDocumentFormat, SessionFile, SessionOutcome } from '../../../engines/session.ts'
import { SessionRecorder } from '../../../engines/session.ts'

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

export const atifTrajectory: SessionDocumentFormat = {
  recognizes: (document) => trajectory.safeParse(document).success,
  read: (document, file) => readTrajectory(trajectory.parse(document), file),
}

function readTrajectory(whole: Trajectory, { file, changedAt }: SessionFile): SessionOutcome {
  const recorder = new SessionRecorder(file, 'atif', changedAt)
  recorder.id = whole.session_id ?? whole.trajectory_id ?? null
  recorder.model = whole.agent?.model_name ?? null
  const metrics: Step['metrics'][] = []
  let number = 0
  whole.steps.forEach((one, index) => {
    recorder.records += 1
    const read = step.safeParse(one)
    if (!read.success) {
      recorder.skip(`step ${index + 1}`, JSON.stringify(one) ?? '')
      return
    }
    if (read.data.is_copied_context === true) return // of an earlier trajectory
    if (read.data.source === 'agent') number += 1
    metrics.push(read.data.metrics)
    takeStep(recorder, read.data, number)
  })
  if (recorder.isEmpty) return { refused: 'nothing was said in it' }
  return { session: recorder.end(sumMetrics(whole, metrics)), recordIds: new Set() }
}

function takeStep(recorder: SessionRecorder, one: Step, number: number): void {
  recorder.setTime(one.timestamp)
  recorder.model = one.model_name ?? recorder.model
  const text = contentText(one.message)
  if (one.source === 'user') recorder.say(text)
  else if (one.source === 'system') recorder.note('added_text', text)
  else {
    if (one.reasoning_content) recorder.emit({ type: 'thinking', step: number, text: one.reasoning_content })
    if (text.trim() !== '') recorder.emit({ type: 'assistant', step: number, text })
  }
  const nameOf = new Map<string, string>()
  for (const { tool_call_id: id, function_name: name, arguments: input } of one.tool_calls ?? []) {
    nameOf.set(id, name)
    recorder.emit({ type: 'tool_call', step: number, id, name, input: toJsonValue(input ?? {}) })
  }
  for (const { source_call_id, content: output } of one.observation?.results ?? []) {
    const id = source_call_id ?? ''
    const shown = { id, name: nameOf.get(id) ?? '', output: contentText(output), is_error: false }
    recorder.emit({ type: 'tool_result', step: number, ...shown })
  }
}

/** The totals that the trajectory states; without them, the sum of its steps. Its prompt tokens include cached ones. */
function sumMetrics({ final_metrics: all }: Trajectory, steps: readonly Step['metrics'][]) {
  const sum = (name: 'prompt_tokens' | 'completion_tokens' | 'cached_tokens' | 'cost_usd') =>
    steps.reduce((total, one) => total + (one?.[name] ?? 0), 0)
  const cached = all?.total_cached_tokens ?? sum('cached_tokens')
  const usage = knownUsage({
    ...noUsage,
    input_tokens: Math.max(0, (all?.total_prompt_tokens ?? sum('prompt_tokens')) - cached),
    output_tokens: all?.total_completion_tokens ?? sum('completion_tokens'),
    cache_read_tokens: cached,
  })
  return { usage, costUsd: (all?.total_cost_usd ?? sum('cost_usd')) || null }
}
