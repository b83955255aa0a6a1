/** Messages as the API gives them: content from a rule's answer, counts, and errors. */
import { randomBytes } from 'node:crypto'
import { compute, computeEach, type Material } from './compute.ts'
import type { MessagesRequest } from './request.ts'
import type { Answer, Call } from './scenario.ts'
import { type Numbered, toolUseId } from './seed.ts'
import { isObject } from './strict.ts'

type StopReason = NonNullable<Answer['stop_reason']>

export interface PracticeMessage {
  id: string
  type: 'message'
  role: 'assistant'
  model: string
  content: (TextBlock | ToolUseBlock)[]
  stop_reason: StopReason
  stop_sequence: null
  usage: PracticeUsage
}

type TextBlock = { type: 'text'; text: string }
type ToolUseBlock = { type: 'tool_use'; id: string; name: string; input: Record<string, unknown> }

interface PracticeUsage {
  input_tokens: number
  output_tokens: number
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
}

/** Fills a rule's answer. Throws when the scenario does not fit the request (a tool that is not offered, a missing name). */
export function answerContent(answer: Answer, material: Material, numbered: Numbered): PracticeMessage['content'] {
  const text = answer.text?.fill(material.variables) ?? ''
  const calls = (answer.tool_calls ?? []).flatMap((one) => {
    return one.kind === 'one' ? [toolUse(one.call, material)] : computeEach(one.each, material, toolUse)
  })
  const { turn } = material.conversation
  const blocks = calls.map((call, index) => ({ ...call, id: toolUseId(numbered, turn, index) }))
  return text.trim() === '' ? blocks : [{ type: 'text', text }, ...blocks]
}

function toolUse(call: Call, material: Material): Omit<ToolUseBlock, 'id'> {
  const { tools } = material.conversation
  const names = call.name.map((one) => one.fill(material.variables))
  const name = names.find((one) => tools.includes(one))
  if (name === undefined) {
    throw new Error(
      `calls ${names.join(' or ')}, which the request does not offer (offered: ${tools.join(', ') || 'no tool'})`,
    )
  }
  const input = compute(call.input, material)
  if (!isObject(input)) throw new Error(`the input of ${name} must be an object`)
  return { type: 'tool_use', name, input }
}

/** A whole message with its counts. */
export function messageOf(
  request: MessagesRequest,
  content: PracticeMessage['content'],
  stopReason?: StopReason,
): PracticeMessage {
  const calls = content.some(({ type }) => type === 'tool_use')
  return {
    id: `msg_${randomBytes(12).toString('hex')}`,
    type: 'message',
    role: 'assistant',
    model: request.model,
    content,
    stop_reason: stopReason ?? (calls ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: {
      input_tokens: inputTokens(request),
      output_tokens: tokens(
        content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block.input))).join(''),
      ),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
    },
  }
}

/** Four characters count as a token. */
function tokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4))
}

export function inputTokens({ system, messages, tools }: MessagesRequest): number {
  return tokens(JSON.stringify([system ?? '', messages, tools ?? []]))
}
