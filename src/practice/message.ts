/** Messages of the model: content from a rule's answer, and counts. */
import { randomBytes } from 'node:crypto'
import { compute, computeEach, type Material } from './compute.ts'
import type { AnswerBlock, Dialogue, PracticeMessage, ToolUseBlock } from './dialogue.ts'
import type { Answer, Call } from './scenario.ts'
import { type Numbered, toolUseId } from './seed.ts'
import { isObject } from './strict.ts'

/** Fills a rule's answer. Throws when the scenario does not fit the request (a tool that is not offered, a missing name). */
export function answerContent(answer: Answer, material: Material, numbered: Numbered): AnswerBlock[] {
  const said = (['thinking', 'text'] as const).flatMap((type) => {
    const text = answer[type]?.fill(material.variables) ?? ''
    return text.trim() === '' ? [] : [{ type, text }]
  })
  const calls = (answer.tool_calls ?? []).flatMap((one) => {
    return one.kind === 'one' ? [toolUse(one.call, material)] : computeEach(one.each, material, toolUse)
  })
  const { turn } = material.conversation
  const blocks = calls.map((call, index) => ({ ...call, id: toolUseId(numbered, turn, index) }))
  return [...said, ...blocks]
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

/** A whole message with its counts: what the scenario says of them, and for the rest what the texts amount to. */
export function messageOf(
  request: Dialogue,
  content: readonly AnswerBlock[],
  { stop_reason: stopReason, usage }: Pick<Answer, 'stop_reason' | 'usage'> = {},
): PracticeMessage {
  const calls = content.some(({ type }) => type === 'tool_use')
  const output = tokens(content.map((one) => (one.type === 'tool_use' ? JSON.stringify(one.input) : one.text)).join(''))
  const { cache_read: cacheRead = 0, cache_write: cacheWrite = 0, reasoning = 0 } = usage ?? {}
  return {
    id: randomBytes(12).toString('hex'),
    model: request.model,
    content,
    stopReason: stopReason ?? (calls ? 'tool_use' : 'end_turn'),
    usage: { input: inputTokens(request), output: output + reasoning, cacheRead, cacheWrite, reasoning },
  }
}

/** Four characters count as a token. */
function tokens(text: string): number {
  return Math.max(1, Math.ceil(text.length / 4))
}

export function inputTokens({ system, messages, tools }: Dialogue): number {
  return tokens(JSON.stringify([system ?? '', messages, tools ?? []]))
}
