/** Shared parts of the OpenAI APIs: text parts, offered tools, joined messages, and refusals. */
import * as z from 'zod'
import { attempt } from '../../../base/errors/attempt.ts'
import type { Block, Message, OfferedTool } from '../dialogue.ts'
import type { RefusedRequest, WireRefusal } from './wire.ts'

/** The tool with which a rule gives a structured answer when the request's format asks for one. */
const structuredTool = 'StructuredOutput'

const part = z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() })
export const contentSchema = z.union([z.string(), z.array(part)], { error: 'must be a string or a list of parts' })

export function textOfContent(given: z.infer<typeof contentSchema> | null | undefined): string {
  if (typeof given === 'string') return given
  return (given ?? []).flatMap(({ text, refusal }) => text ?? refusal ?? []).join('\n')
}

/** A format asks for structured answers by a schema when its type is json_schema. */
export const formatSchema = z.looseObject({ type: z.string().optional() })

/** The tool for answers in this format; empty for free text. */
export function structuredTools(given: z.infer<typeof formatSchema> | undefined): OfferedTool[] {
  return given?.type === 'json_schema' ? [{ name: structuredTool, kind: 'structured' }] : []
}

/** How a result shows that its call failed: these APIs have no field for it. */
const failure = /^error\b|\bexit(?:ed with)? code:? -?[1-9]/i

export function resultBlock(id: string, text: string): Block {
  return { type: 'tool_result', tool_use_id: id, is_error: failure.test(text), content: [{ type: 'text', text }] }
}

/** Joins neighbouring messages of one role, because rules count turns that way. */
export function joinMessages(items: readonly { role: Message['role']; blocks: Block[] }[]): Message[] {
  const messages: { role: Message['role']; content: Block[] }[] = []
  for (const { role, blocks } of items) {
    const last = messages.at(-1)
    if (last?.role === role && role !== 'system') last.content.push(...blocks)
    else messages.push({ role, content: [...blocks] })
  }
  return messages
}

/** Arguments as sent: the parsed value if they are JSON, else the text itself. */
export function parseCallArguments(text: string): unknown {
  return attempt(() => JSON.parse(text), text)
}

/** The id with the prefix of these APIs. */
export function callId(id: string): string {
  return id.replace(/^toolu_/, 'call_')
}

const codes: Readonly<Record<number, string>> = {
  401: 'invalid_api_key',
  429: 'rate_limit_exceeded',
  503: 'server_is_overloaded',
}

const types: Readonly<Record<number, string>> = { 429: 'requests', 503: 'service_unavailable_error' }

/** Status and body; only Anthropic has 529, so an overload becomes 503. */
export function refuseOpenai({ status: asked, message: said }: RefusedRequest): { status: number; body: unknown } {
  const status = asked === 529 ? 503 : asked
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'server_error')
  const model = status === 404 ? /^model: (.+)$/.exec(said)?.[1] : undefined
  const message = model === undefined ? said : `The model \`${model}\` does not exist or you do not have access to it.`
  const code = model === undefined ? (codes[status] ?? null) : 'model_not_found'
  return { status, body: { error: { message, type, param: null, code } } }
}

export const contextCode = 'context_length_exceeded'

/** The refusal of a conversation that exceeds the model's context. */
export function contextRefusal(message: string, param: string): WireRefusal {
  return { status: 400, body: { error: { message, type: 'invalid_request_error', param, code: contextCode } } }
}
