/** Asks any engine for a value of a schema: one repair round, bounded retries of infrastructure failures, never a throw but on abort. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { isTooDeep, tooDeep } from '../../base/depth.ts'
import { messageOf } from '../../base/error.ts'
import { checkAs } from '../../base/json.ts'
import type { Engine, EngineContext, EngineReport, EngineTask } from '../../engines/engine.ts'
import { callWithRetries, type RetryLimits } from './call.ts'
import { openMeter, type Spent } from './meter.ts'

export interface AskRequest<S extends z.ZodType> {
  engine: Engine
  task: Omit<EngineTask, 'answerSchema' | 'sessionId'>
  schema: S
  context: EngineContext
  /** What is missing in a value that fits the schema; null: nothing. Asked for once in the repair round, then taken as it is. */
  review?: (value: z.infer<S>) => string | null | Promise<string | null>
  limits?: Partial<RetryLimits>
}

/** The value, or one line on why there is none; `spent` counts every call made for it. */
export type Asked<T> = { status: 'answered'; value: T; spent: Spent } | { status: 'error'; error: string; spent: Spent }

/** Asks. Rejects only with the abort reason of `context.signal`, or with what the machine is short of. */
export async function ask<S extends z.ZodType>(request: AskRequest<S>): Promise<Asked<z.infer<S>>> {
  const meter = openMeter()
  const first = await round(request, request.task.prompt, meter.call)
  if (first.status === 'whole') return { status: 'answered', value: first.value, spent: meter.spent() }
  if (first.status === 'failed') return { status: 'error', error: first.problem, spent: meter.spent() }
  const second = await round(request, repairPrompt(request.task.prompt, first), meter.call)
  if ('value' in second) return { status: 'answered', value: second.value, spent: meter.spent() }
  if ('value' in first) return { status: 'answered', value: first.value, spent: meter.spent() }
  const error = second.status === 'failed' ? second.problem : `no usable answer in two rounds: ${second.problem}`
  return { status: 'error', error, spent: meter.spent() }
}

type Round<T> =
  | { status: 'whole'; value: T }
  | { status: 'partial'; value: T; problem: string; said: string }
  | { status: 'malformed'; problem: string; said: string }
  | { status: 'failed'; problem: string }

async function round<S extends z.ZodType>(
  request: AskRequest<S>,
  prompt: string,
  onCall: (report: EngineReport | null) => void,
): Promise<Round<z.infer<S>>> {
  const { engine, context, schema, review = () => null } = request
  const answerSchema = jsonSchemaOf(schema)
  const task = () => ({ ...request.task, prompt, answerSchema, sessionId: randomUUID() })
  const end = await callWithRetries({ engine, task, context, onCall, limits: request.limits ?? {} })
  if (end.status !== 'completed') return end
  if (isTooDeep(end.report.answer))
    return { status: 'malformed', problem: `it is ${tooDeep}`, said: end.report.finalResponse }
  const said = saidIn(end.report)
  if (end.report.answer === undefined) return { status: 'malformed', problem: 'no JSON answer was found in it', said }
  const value = checkedAnswer(schema, end.report.answer)
  if ('problem' in value) return { status: 'malformed', problem: value.problem, said }
  const problem = await review(value.fits)
  if (problem === null) return { status: 'whole', value: value.fits }
  return { status: 'partial', value: value.fits, problem, said }
}

/** The same schema is asked for again and again. */
const jsonSchemas = new WeakMap<z.ZodType, Readonly<Record<string, unknown>>>()

function jsonSchemaOf(schema: z.ZodType): Readonly<Record<string, unknown>> {
  const known = jsonSchemas.get(schema)
  if (known !== undefined) return known
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: 'input' })
  jsonSchemas.set(schema, made)
  return made
}

function checkedAnswer<S extends z.ZodType>(schema: S, answer: unknown): { fits: z.infer<S> } | { problem: string } {
  try {
    return { fits: checkAs(schema, answer, 'the answer') }
  } catch (error) {
    return { problem: messageOf(error) }
  }
}

function saidIn({ answer, finalResponse }: EngineReport): string {
  return answer === undefined ? finalResponse : JSON.stringify(answer)
}

const quoted = 4000

function repairPrompt(prompt: string, last: { problem: string; said: string }): string {
  const answer = last.said.slice(0, quoted).replaceAll('```', "'''")
  return [
    prompt,
    'You were asked this before, and your answer could not be used.',
    `What was wrong: ${last.problem}`,
    `Your answer was:\n\`\`\`\n${answer}\n\`\`\``,
    'Answer again, in full, and mend that.',
  ].join('\n\n')
}
