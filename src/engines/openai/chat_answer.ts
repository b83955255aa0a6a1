/** Reads the answer of a Chat Completions server, streamed or whole, and asks for one without tools: compatible servers leave out fields and refuse some. */
import OpenAI from 'openai'
import * as z from 'zod'
import { checkAs } from '../../base/json/json.ts'
import { withSchema } from '../answers/json_answer.ts'
import { parseTolerantText } from '../answers/tolerant_json.ts'
import type { EngineError, EngineTask } from '../engine.ts'
import type { ToolAnswer } from '../tool_loop/tools/tool.ts'

/** A text, or parts that each may be text, reasoning or something else. */
const content = z.union([
  z.string(),
  z.array(z.looseObject({ type: z.string().nullish(), text: z.unknown().optional() })),
])

const calledFunction = z.looseObject({
  name: z.string().nullish(),
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
})

const callPart = z.looseObject({
  index: z.number().nullish(),
  id: z.string().nullish(),
  function: calledFunction.nullish(),
})

const message = z.looseObject({
  content: content.nullish(),
  refusal: z.string().nullish(),
  tool_calls: z.array(callPart).nullish(),
  function_call: calledFunction.nullish(),
})

const choice = z.looseObject({
  index: z.number().nullish(),
  delta: message.nullish(),
  message: message.nullish(),
  finish_reason: z.string().nullish(),
  error: z.unknown().optional(),
})

const count = z.number().nonnegative().nullish()

const reportedUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z.looseObject({ cached_tokens: count, cache_write_tokens: count }).nullish(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: count }).nullish(),
  // OpenRouter reports what a response costs, in dollars
  cost: count,
})

/** A whole answer, or a chunk of a streamed one. */
const answerPart = z.looseObject({
  model: z.string().nullish(),
  choices: z.array(choice).nullish(),
  usage: reportedUsage.nullish(),
  error: z.unknown().optional(),
})

interface ChatCall {
  id: string
  name: string
  /** JSON, if the model wrote it well. */
  arguments: string
}

export interface ChatAnswer {
  model: string | null
  text: string
  refusal: string
  calls: ChatCall[]
  /** null: the server did not report why the model stopped. */
  finishReason: string | null
  usage: z.infer<typeof reportedUsage> | null
}

/** Throws if the answer breaks off, or reports an error. */
export async function readChatAnswer(response: Response): Promise<ChatAnswer> {
  const answer: ReadAnswer = { model: null, text: '', refusal: '', finishReason: null, usage: null, calls: [] }
  let isWhole = false
  if (/\bjson\b/.test(response.headers.get('content-type') ?? '')) {
    addPart(answer, await response.text())
    isWhole = true
  } else {
    for await (const data of readEvents(response)) {
      if (data === '[DONE]') isWhole = true
      if (isWhole) break
      addPart(answer, data)
    }
  }
  if (!isWhole && answer.finishReason === null) throw new Error('the stream ended before the answer did')
  const calls = answer.calls.map(({ id, name, text }, at) => ({ id: id || `call_${at}`, name, arguments: text }))
  return { ...answer, calls }
}

/** The data of each event of a stream. llama.cpp sends an error as a field of that name. */
async function* readEvents({ body }: Response): AsyncGenerator<string> {
  if (body === null) return
  let rest = ''
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + piece).split(/\r?\n/)
    rest = lines.pop() ?? ''
    for (const line of lines) yield* eventData(line)
  }
  yield* eventData(rest)
}

function eventData(line: string): string[] {
  const [, field, data = ''] = /^(data|error):(.*)$/s.exec(line) ?? []
  if (data.trim() === '') return []
  return [field === 'error' ? `{"error":${data}}` : data.trim()]
}

interface ReadAnswer extends Omit<ChatAnswer, 'calls'> {
  calls: ReadCall[]
}

interface ReadCall {
  index: number | null
  id: string
  name: string
  text: string
}

/** Only the first choice counts: no request asks for several. */
function addPart(answer: ReadAnswer, json: string): void {
  const part = checkAs(answerPart, JSON.parse(json), 'the answer')
  const [first] = (part.choices ?? []).filter(({ index }) => (index ?? 0) === 0)
  const failure = part.error ?? first?.error
  if (failure) throw new OpenAI.APIError(undefined, toErrorBody(failure), undefined, undefined)
  answer.model = part.model || answer.model
  answer.usage = part.usage ?? answer.usage
  answer.finishReason = first?.finish_reason || answer.finishReason
  const said = first?.delta ?? first?.message
  if (!said) return
  answer.text += readContent(said.content)
  answer.refusal += said.refusal ?? ''
  for (const call of said.tool_calls ?? []) addCall(answer.calls, call)
  if (said.function_call) addCall(answer.calls, { index: 0, function: said.function_call })
}

function toErrorBody(failure: unknown): object {
  return typeof failure === 'object' && failure !== null ? failure : { message: String(failure) }
}

/** Without reasoning, which may be a part of its own. */
function readContent(given: z.infer<typeof content> | null | undefined): string {
  if (!Array.isArray(given)) return given ?? ''
  return given
    .filter(({ type }) => type == null || type === 'text' || type === 'output_text')
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('')
}

function addCall(calls: ReadCall[], { index = null, id, function: called }: z.infer<typeof callPart>): void {
  const { name, arguments: given } = called ?? {}
  const text = typeof given === 'string' ? given : given ? JSON.stringify(given) : ''
  const begun = findBegunCall(calls, { index, id: id ?? '', isNamed: Boolean(name) })
  if (begun === undefined) calls.push({ index, id: id ?? '', name: name ?? '', text })
  else Object.assign(begun, { id: begun.id || (id ?? ''), name: begun.name || (name ?? ''), text: begun.text + text })
}

/** The call that a part continues. Some servers number no call, or give each the number 0; some give each part an id of its own. */
function findBegunCall(
  calls: readonly ReadCall[],
  { index, id, isNamed }: { index: number | null; id: string; isNamed: boolean },
): ReadCall | undefined {
  const isOther = (call: ReadCall) => isNamed && (call.id !== id || id === '') && call.name !== ''
  if (index !== null) return calls.findLast((call) => call.index === index && !(id !== '' && isOther(call)))
  return calls.findLast((call) => !isOther(call))
}

type Format = Pick<OpenAI.ChatCompletionCreateParams, 'response_format'>

/** Whether the error is a refusal of tools, and the task can be done without them. */
export function canDropTools(error: EngineError, { answerSchema, tools, toolsOptional }: EngineTask): boolean {
  if (answerSchema === null || (tools !== 'none' && toolsOptional !== true)) return false
  return isRefusal(error, /\b(tools?|tool[_ ]choice|functions?|function[_ ]call\w*)\b/i)
}

/** Whether the error is a refusal of the form of answer that was asked for. */
export function canDropFormat(error: EngineError): boolean {
  return error.kind === 'bad_request' || isRefusal(error, /response[_ ]format|json[_ ](?:schema|object)|grammar/i)
}

/** Some servers, such as llama.cpp's, refuse with a status of their own faults. */
function isRefusal({ kind, message }: EngineError, subject: RegExp): boolean {
  if (!subject.test(message)) return false
  return (
    kind === 'bad_request' || (kind === 'server_error' && /support|requires?\b|must be|not implemented/i.test(message))
  )
}

/** From the strictest to none, which every server accepts. */
export function answerFormats({ answerSchema }: EngineTask): Format[] {
  if (answerSchema === null) return [{}]
  const json_schema = { name: 'answer', schema: answerSchema, strict: false }
  return [{ response_format: { type: 'json_schema', json_schema } }, { response_format: { type: 'json_object' } }, {}]
}

/** The task without tools: its schema is in the prompt. */
export function withoutTools(task: EngineTask): EngineTask {
  const { prompt, answerSchema } = task
  return { ...task, tools: 'none', prompt: answerSchema === null ? prompt : withSchema(prompt, answerSchema) }
}

/** The text of a result; if the call failed, the text says so. */
export function resultText({ text, isError }: ToolAnswer): string {
  const said = text === '' ? '(empty)' : text
  return isError && !/\(exit code \d+\)$/.test(said) ? `Error: ${said}` : said
}

/** The arguments of a call, parsed if they are JSON that can be read in one way, else the text itself, which no tool accepts. */
export function parseToolArguments(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isAmbiguous(text) ? text : value
  } catch {
    return text
  }
}

/** Whether a name has two values: JSON.parse would silently keep the last one. */
function isAmbiguous(text: string): boolean {
  const parsed = parseTolerantText(text)
  return 'problem' in parsed && parsed.problem.includes('occurs twice')
}
