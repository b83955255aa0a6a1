/** Messages of the practice model: content from a rule's answer, and token counts. */
import { randomBytes } from 'node:crypto'
import { isRecord } from '../../base/json/json_text.ts'
import type { AnswerBlock, Dialogue, PracticeMessage, ToolUseBlock } from './dialogue.ts'
import { computeEach, computeValue, type Material } from './scenario/compute.ts'
import type { RuleAnswer, ScenarioCall } from './scenario/scenario.ts'
import { type ConversationNumber, toolUseId } from './scenario/seed.ts'

/** Fills a rule's answer. Throws when the scenario does not match the request (a tool that is not offered, a missing name). */
export function answerContent(answer: RuleAnswer, material: Material, numbered: ConversationNumber): AnswerBlock[] {
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

function toolUse(call: ScenarioCall, material: Material): Omit<ToolUseBlock, 'id'> {
  const { tools } = material.conversation
  const names = call.name.map((one) => one.fill(material.variables))
  const name = names.find((one) => tools.includes(one))
  if (name === undefined) {
    throw new Error(
      `calls ${names.join(' or ')}, which the request does not offer (offered: ${tools.join(', ') || 'no tool'})`,
    )
  }
  const input = computeValue(call.input, material)
  if (!isRecord(input)) throw new Error(`the input of ${name} must be an object`)
  return { type: 'tool_use', name, input }
}

/** A complete message with its token counts: those of the scenario, and the rest estimated from the texts. */
export function createMessage(
  request: Dialogue,
  content: readonly AnswerBlock[],
  { stop_reason: stopReason, usage }: Pick<RuleAnswer, 'stop_reason' | 'usage'> = {},
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
