/** The state of one conversation with the model: messages, counts, what was said last; and the request that follows from it. */
import type Anthropic from '@anthropic-ai/sdk'
import type { Usage } from '../../../schemas/usage.ts'
import type { EngineContext, EngineTask } from '../engine.ts'
import { jsonValue } from '../json_value.ts'
import { anthropicModel } from '../providers.ts'
import { systemPrompt } from './system_prompt.ts'
import type { LocalTool } from './tools/tool.ts'
import { addUsage, noUsage } from './usage.ts'

/** Output tokens of one response at most. */
const maxTokens = 32_000

/** The tool through which a structured answer comes. */
export const submitTool = 'submit'

export interface Conversation {
  /** Everything of a request but its messages. */
  request: Omit<Anthropic.MessageStreamParams, 'messages'>
  messages: Anthropic.MessageParam[]
  /** Model responses so far. */
  step: number
  /** Milliseconds spent waiting for the server's limits. */
  waitedMs: number
  usage: Usage
  /** The last text that the model wrote. */
  text: string
  model: string
  answer: { value: unknown } | null
}

/** A conversation that begins with the task's prompt. */
export function beginConversation(task: EngineTask, tools: readonly LocalTool[]): Conversation {
  const model = anthropicModel(task.model)
  const offered = [...tools.map(definition), ...submitDefinition(task)]
  return {
    request: {
      model,
      max_tokens: maxTokens,
      system: [{ type: 'text', text: systemPrompt(task), cache_control: { type: 'ephemeral' } }],
      metadata: { user_id: task.sessionId },
      ...(offered.length > 0 ? { tools: offered } : {}),
    },
    messages: [userMessage(task.prompt)],
    step: 0,
    waitedMs: 0,
    usage: noUsage,
    text: '',
    model,
    answer: null,
  }
}

function definition(tool: LocalTool): Anthropic.Tool {
  return { name: tool.name, description: tool.description, input_schema: tool.inputSchema }
}

function submitDefinition({ answerSchema }: EngineTask): Anthropic.Tool[] {
  if (answerSchema === null) return []
  const description = 'Gives your answer in its final form. Call it once, when you are done; it ends your work.'
  return [{ name: submitTool, description, input_schema: { ...answerSchema, type: 'object' } }]
}

export function userMessage(text: string): Anthropic.MessageParam {
  return { role: 'user', content: [{ type: 'text', text }] }
}

/** The next request. The end of the last message is marked, so that the server may cache what comes before. */
export function nextRequest(conversation: Conversation): Anthropic.MessageStreamParams {
  const { request, messages } = conversation
  const last = messages.at(-1)
  if (last?.role !== 'user' || typeof last.content === 'string') return { ...request, messages }
  const block = last.content.at(-1)
  if (block?.type !== 'text' && block?.type !== 'tool_result') return { ...request, messages }
  const marked = { ...block, cache_control: { type: 'ephemeral' as const } }
  const content = [...last.content.slice(0, -1), marked]
  return { ...request, messages: [...messages.slice(0, -1), { role: 'user', content }] }
}

/** Takes a response in: counts it, keeps it, tells of its blocks. Gives its tool calls. */
export function takeResponse(
  conversation: Conversation,
  message: Anthropic.Message,
  emit: EngineContext['emit'],
): Anthropic.ToolUseBlock[] {
  conversation.step += 1
  conversation.usage = addUsage(conversation.usage, message.usage)
  conversation.model = message.model || conversation.model
  if (message.content.length > 0) conversation.messages.push({ role: 'assistant', content: message.content })
  for (const block of message.content) emitBlock(block, conversation.step, emit)
  const text = message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n')
  if (text.trim() !== '') conversation.text = text
  return message.content.filter((block) => block.type === 'tool_use')
}

function emitBlock(block: Anthropic.ContentBlock, step: number, emit: EngineContext['emit']): void {
  if (block.type === 'text' && block.text !== '') emit({ type: 'assistant', step, text: block.text })
  if (block.type === 'thinking' && block.thinking !== '') emit({ type: 'thinking', step, text: block.thinking })
  if (block.type === 'tool_use') {
    emit({ type: 'tool_call', step, id: block.id, name: block.name, input: jsonValue(block.input) })
  }
}
