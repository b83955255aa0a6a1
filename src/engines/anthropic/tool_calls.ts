/** Performs the tool calls of one response, in order, and answers them together. */
import type Anthropic from '@anthropic-ai/sdk'
import type { EngineContext } from '../engine.ts'
import type { SkillReads } from '../skill_read.ts'
import { type Conversation, submitTool } from './conversation.ts'
import type { LocalTool, ToolAnswer, ToolPlace } from './tools/tool.ts'

export interface Workshop {
  tools: readonly LocalTool[]
  place: ToolPlace
  skillReads: SkillReads
  /** Whether calling `submit` ends the work. */
  submits: boolean
  emit: EngineContext['emit']
}

/**
 * Runs the calls and adds their results to the conversation. A call of `submit` sets the answer, and what follows it is
 * left. `lastIsCut`: the response ended inside the last call, so its input can't be trusted. Rejects only when aborted.
 */
export async function performCalls(
  conversation: Conversation,
  { calls, lastIsCut }: { calls: readonly Anthropic.ToolUseBlock[]; lastIsCut: boolean },
  workshop: Workshop,
): Promise<void> {
  const results: Anthropic.ToolResultBlockParam[] = []
  for (const [index, call] of calls.entries()) {
    const isCut = lastIsCut && index === calls.length - 1
    if (!isCut && workshop.submits && call.name === submitTool) {
      conversation.answer = { value: call.input }
      tell(workshop, { call, answer: { text: 'the answer is taken', isError: false }, step: conversation.step })
      return
    }
    workshop.skillReads.called(call)
    const answer = isCut ? cutOff : await perform(call, workshop)
    tell(workshop, { call, answer, step: conversation.step })
    results.push(resultBlock(call.id, answer))
  }
  conversation.messages.push({ role: 'user', content: results })
}

const cutOff: ToolAnswer = {
  text: 'not done: the response reached its length limit inside this call; do it in smaller parts',
  isError: true,
}

function perform(call: Anthropic.ToolUseBlock, { tools, place }: Workshop): Promise<ToolAnswer> {
  const tool = tools.find(({ name }) => name === call.name)
  if (tool !== undefined) return tool.run(call.input, place)
  const known = tools.map(({ name }) => name).join(', ')
  return Promise.resolve({ text: `no tool is named ${call.name}; tools: ${known}`, isError: true })
}

interface Told {
  call: Anthropic.ToolUseBlock
  answer: ToolAnswer
  step: number
}

function tell({ emit, skillReads }: Workshop, { call, answer, step }: Told): void {
  const { id, name } = call
  emit({ type: 'tool_result', step, id, name, output: answer.text, is_error: answer.isError })
  skillReads.ended(id, { isError: answer.isError, step })
}

function resultBlock(id: string, { text, isError, image }: ToolAnswer): Anthropic.ToolResultBlockParam {
  const content: Anthropic.ToolResultBlockParam['content'] = [{ type: 'text', text: text === '' ? '(empty)' : text }]
  if (image !== undefined) {
    content.push({ type: 'image', source: { type: 'base64', media_type: image.mediaType, data: image.data } })
  }
  return { type: 'tool_result', tool_use_id: id, content, ...(isError ? { is_error: true } : {}) }
}
