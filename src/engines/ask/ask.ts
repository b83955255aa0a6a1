/** Asks an engine for a value of a schema, with one repair round and bounded retries; throws only on abort or shortage. */
import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { errorMessage } from '../../base/errors/error.ts'
import { checkAs } from '../../base/json/json.ts'
import { isRecord, isTooDeep, tooDeepText } from '../../base/json/json_text.ts'
import { findJsonAnswer, type TextAnswer } from '../answers/json_answer.ts'
import { parseTolerantText } from '../answers/tolerant_json.ts'
import type { Engine, EngineContext, EngineError, EngineReport, EngineTask } from '../engine.ts'
import { callWithRetries, type RetryLimits } from './call_engine.ts'
import { type CallUsage, openCallMeter } from './cost_meter.ts'

export interface AskRequest<S extends z.ZodType> {
  engine: Engine
  task: Omit<EngineTask, 'answerSchema' | 'sessionId'>
  schema: S
  context: EngineContext
  /** What is missing in a valid value; null: nothing. It triggers one repair round, and then the value is accepted. */
  review?: (value: z.infer<S>) => string | null | Promise<string | null>
  limits?: Partial<RetryLimits>
}

/** The value, or one line on why there is none; `spent` counts every call for it. `failure`: the engine could not answer; absent: its answers were wrong. */
export type AskOutcome<T> =
  | { status: 'answered'; value: T; spent: CallUsage }
  | { status: 'error'; error: string; failure?: EngineError; spent: CallUsage }

/** Rejects only with the abort reason of `context.signal`, or if this machine is short of a resource. */
export async function askEngine<S extends z.ZodType>(request: AskRequest<S>): Promise<AskOutcome<z.infer<S>>> {
  const meter = openCallMeter()
  const first = await round(request, request.task.prompt, meter.call)
  if (first.status === 'whole') return { status: 'answered', value: first.value, spent: meter.spent() }
  if (first.status === 'failed') return failWith(first, meter.spent())
  const second = await round(request, repairPrompt(request.task.prompt, first), meter.call)
  if ('value' in second) return { status: 'answered', value: second.value, spent: meter.spent() }
  if ('value' in first) return { status: 'answered', value: first.value, spent: meter.spent() }
  return failWith(second, meter.spent())
}

type Failed = Extract<Round<unknown>, { status: 'malformed' | 'failed' }>

function failWith(last: Failed, spent: CallUsage): Extract<AskOutcome<never>, { status: 'error' }> {
  const failure = last.status === 'failed' ? { failure: last.failure } : {}
  return { status: 'error', error: describeFailure(last), ...failure, spent }
}

type Round<T> =
  | { status: 'whole'; value: T }
  | { status: 'partial'; value: T; problem: string; said: string }
  | { status: 'malformed'; problem: string; said: string; isCut?: boolean }
  | { status: 'failed'; problem: string; failure: EngineError }

function describeFailure(last: Failed): string {
  if (last.status === 'failed') return last.problem
  if (last.isCut) return `${last.problem}: use a judge with a higher limit, or fewer expectations per case`
  return `no usable answer in two rounds: ${last.problem}`
}

async function round<S extends z.ZodType>(
  request: AskRequest<S>,
  prompt: string,
  onCall: (report: EngineReport | null) => void,
): Promise<Round<z.infer<S>>> {
  const { engine, context, schema, review = () => null } = request
  const answerSchema = toAnswerJsonSchema(schema)
  const task = () => ({ ...request.task, prompt, answerSchema, sessionId: randomUUID() })
  const end = await callWithRetries({ engine, task, context, onCall, limits: request.limits ?? {} })
  if (end.status !== 'completed') return end
  if (isTooDeep(end.report.answer))
    return { status: 'malformed', problem: `it is ${tooDeepText}`, said: end.report.finalResponse }
  const said = readAnswerText(end.report)
  const isCut = end.report.answer === undefined && end.report.stopReason === 'max_tokens'
  // what follows in a text that was cut could have changed it
  if (isCut) return { status: 'malformed', problem: describeCut(end.report), said, isCut }
  const answer = readAnswer(end.report, answerSchema)
  if ('problem' in answer) return { status: 'malformed', problem: answer.problem, said }
  const value = parseAnswer(schema, fitAnswer(answer.value, answerSchema))
  if ('problem' in value) return { status: 'malformed', problem: value.problem, said }
  const problem = await review(value.fits)
  if (problem === null) return { status: 'whole', value: value.fits }
  return { status: 'partial', value: value.fits, problem, said }
}

function readAnswer({ answer, finalResponse }: EngineReport, schema: AnswerSchema): TextAnswer {
  return answer === undefined ? findJsonAnswer(finalResponse, schema) : { value: answer }
}

function describeCut({ outputLimit }: EngineReport): string {
  const limit = outputLimit === undefined ? '' : ` of ${outputLimit} tokens`
  return `the judge's answer was cut at its output limit${limit}`
}

type AnswerSchema = NonNullable<EngineTask['answerSchema']>

function toAnswerJsonSchema(schema: z.ZodType): AnswerSchema {
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: 'input' })
  return made
}

function parseAnswer<S extends z.ZodType>(schema: S, answer: unknown): { fits: z.infer<S> } | { problem: string } {
  try {
    return { fits: checkAs(schema, answer, 'the answer') }
  } catch (error) {
    return { problem: errorMessage(error) }
  }
}

function readAnswerText({ answer, finalResponse }: EngineReport): string {
  return answer === undefined ? finalResponse : JSON.stringify(answer)
}

const quotedLength = 4000

function repairPrompt(prompt: string, last: { problem: string; said: string }): string {
  const answer = last.said.slice(0, quotedLength).replaceAll('```', "'''")
  return [
    prompt,
    'You were asked this before, and your answer could not be used.',
    `What was wrong: ${last.problem}`,
    `Your answer was:\n\`\`\`\n${answer}\n\`\`\``,
    'Answer again, in full, and mend that.',
  ].join('\n\n')
}

type Schema = Readonly<Record<string, unknown>>

/** 1 and 0 are not among them: they may be scores. */
const truths = new Set(['true', 'yes', 'pass', 'passed'])
const falsehoods = new Set(['false', 'no', 'fail', 'failed'])

/** The value with what could be converted; everything else stays as it is, for the check against the schema. */
export function fitAnswer(value: unknown, schema: Schema): unknown {
  if (Array.isArray(schema.anyOf)) return fitToAny(value, schema.anyOf.filter(isRecord))
  switch (schema.type) {
    case 'boolean':
      return typeof value === 'string' ? fitBoolean(value) : value
    case 'number':
    case 'integer':
      return typeof value === 'string' && /^\s*-?\d+(\.\d+)?\s*$/.test(value) ? Number(value) : value
    case 'array':
      return fitList(fitText(value), isRecord(schema.items) ? schema.items : {})
    case 'object':
      return fitObject(fitText(value), isRecord(schema.properties) ? schema.properties : {})
    default:
      return value
  }
}

/** null stays null; anything else is fitted if only one type is possible. */
function fitToAny(value: unknown, kinds: readonly Schema[]): unknown {
  const [only, second] = kinds.filter(({ type }) => type !== 'null')
  return value === null || only === undefined || second !== undefined ? value : fitAnswer(value, only)
}

function fitBoolean(text: string): unknown {
  const word = text.trim().toLowerCase()
  if (truths.has(word)) return true
  return falsehoods.has(word) ? false : text
}

/** A list or an object that was sent as text. */
function fitText(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const parsed = parseTolerantText(value)
  return 'value' in parsed ? parsed.value : value
}

function fitObject(value: unknown, properties: Schema): unknown {
  if (!isRecord(value)) return value
  const fitted = Object.entries(value).map(([name, inner]) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    return [name, isRecord(schema) ? fitAnswer(inner, schema) : inner]
  })
  return Object.fromEntries(fitted)
}

/** Also an object by number, whose names are the numbers `n` of its entries. */
function fitList(value: unknown, items: Schema): unknown {
  const list = isRecord(value) ? toNumberedList(value, items) : value
  return Array.isArray(list) ? list.map((one) => fitAnswer(one, items)) : list
}

function toNumberedList(value: Schema, { properties }: Schema): unknown {
  const entries = Object.entries(value)
  const isNumbered = isRecord(properties) && 'n' in properties && entries.length > 0
  if (!isNumbered || !entries.every(([name, one]) => isNumber(name) && isRecord(one) && agrees(one.n, name)))
    return value
  return entries.map(([name, one]) => (isRecord(one) ? { ...one, n: Number(name) } : one))
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}

function agrees(n: unknown, name: string): boolean {
  return n === undefined || String(n) === name
}
