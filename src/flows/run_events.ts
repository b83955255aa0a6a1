/** Builds the flow events of one run. */
import path from 'node:path'
import * as z from 'zod'
import type { FlowEvent } from '../../schemas/flow_event.ts'
import type { Grading } from '../../schemas/grading.ts'
import type { RunSpec } from '../../schemas/plan.ts'
import type { RunRecord } from '../../schemas/run.ts'
import type { EmittedEvent } from '../engines/engine.ts'
import { countTokens } from '../engines/models/cost.ts'
import type { FlowContext } from './flow_context.ts'

export function runName(spec: RunSpec) {
  return {
    run_id: spec.run_id,
    eval_id: spec.eval_id,
    eval_name: spec.eval_name,
    configuration: spec.configuration,
    run_number: spec.run_number,
  }
}

/** Reports what the agent does: the tool that it calls, with the name of a file; from its start and between calls it waits for the model. */
export function emitStep({ emit }: Pick<FlowContext, 'emit'>, spec: RunSpec, event: EmittedEvent): void {
  const doing = describeStep(event)
  if (doing !== null) emit({ type: 'run_step', ...runName(spec), doing })
}

function describeStep(event: EmittedEvent): string | null {
  const isInit = event.type === 'system' && event.subtype === 'init'
  if (isInit || event.type === 'user' || event.type === 'tool_result') return 'waits for the model'
  if (event.type !== 'tool_call') return null
  const file = toolInput.safeParse(event.input).data
  const name = file?.file_path ?? file?.path
  return name === undefined ? event.name : `${event.name} ${path.basename(name)}`
}

const toolInput = z.object({ file_path: z.string().optional(), path: z.string().optional() })

export function toRunFinishedEvent(spec: RunSpec, record: RunRecord): FlowEvent {
  return {
    type: 'run_finished',
    ...runName(spec),
    status: record.status,
    kind: record.status === 'failed' ? record.error.kind : null,
    message: record.status === 'failed' ? record.error.message : null,
    duration_ms: record.duration_ms,
    tokens: record.usage && countTokens(record.usage),
    cost_usd: record.cost?.usd ?? null,
    skill_read: record.skill.read,
    ...(record.cached_from && { cached: true }),
  }
}

/** `cached`: the complete grading came from the cache. */
export function toGradeFinishedEvent(
  spec: RunSpec,
  grading: Grading,
  cached = false,
): Extract<FlowEvent, { type: 'grade_finished' }> {
  const { passed, total } = grading.summary
  return {
    type: 'grade_finished',
    ...runName(spec),
    passed,
    total,
    pass_rate: total === 0 ? null : grading.summary.pass_rate,
    judge_errors: grading.judge_errors?.length ?? 0,
    cost_usd: grading.judge?.cost_usd ?? null,
    ...((cached || grading.judge?.cached_from) && { cached: true }),
  }
}
