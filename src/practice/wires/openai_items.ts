/** What requests of the OpenAI APIs have in common: parts of texts, tools on offer, and messages in one row. */
import { z } from 'zod'
import type { Block, Message, OfferedTool } from '../dialogue.ts'

/** The tool by which a rule gives a structured answer where the request asks for one by its format. */
const structuredTool = 'StructuredOutput'

const part = z.looseObject({ type: z.string(), text: z.string().optional(), refusal: z.string().optional() })
export const content = z.union([z.string(), z.array(part)], { error: 'must be a string or a list of parts' })

/** The text of a message's or an output's content. */
export function textOfContent(given: z.infer<typeof content> | null | undefined): string {
  if (typeof given === 'string') return given
  return (given ?? []).flatMap(({ text, refusal }) => text ?? refusal ?? []).join('\n')
}

/** A format asks for structured answers by a schema when its type is json_schema. */
export const format = z.looseObject({ type: z.string().optional() })

/** The tool by which rules answer in a format; none for free text. */
export function structured(given: z.infer<typeof format> | undefined): OfferedTool[] {
  return given?.type === 'json_schema' ? [{ name: structuredTool, kind: 'structured' }] : []
}

/** How a result tells that its call failed: these APIs have no field for it. */
const failure = /^error\b|\bexit(?:ed with)? code:? -?[1-9]/i

/** The result of a call. */
export function resultBlock(id: string, text: string): Block {
  return { type: 'tool_result', tool_use_id: id, is_error: failure.test(text), content: [{ type: 'text', text }] }
}

/** Messages in which neighbours of one role are one: that is how rules count turns. */
export function joined(items: readonly { role: Message['role']; blocks: Block[] }[]): Message[] {
  const messages: { role: Message['role']; content: Block[] }[] = []
  for (const { role, blocks } of items) {
    const last = messages.at(-1)
    if (last?.role === role && role !== 'system') last.content.push(...blocks)
    else messages.push({ role, content: [...blocks] })
  }
  return messages
}

/** Arguments as sent: an object where they are JSON, else the text itself. */
export function argumentsOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** An id as these APIs write it, and still ours. */
export function callId(id: string): string {
  return id.replace(/^toolu_/, 'call_')
}
