/** Reads a request as rules see it: texts, tool calls, tool results, and the number of the next response. */
import type { Block, Dialogue } from './dialogue.ts'

interface ToolCall {
  id: string
  name: string
  input: unknown
  /** "ToolName {json input}" */
  text: string
}

export interface ToolResult {
  text: string
  isError: boolean
  /** The call that it answers; null: not in the conversation. */
  call: ToolCall | null
}

export interface Conversation {
  model: string
  /** The system prompt, followed by what the agent's harness added to messages (`reminder` blocks, system messages). */
  system: string
  user: string
  /** The last message: its text, or what the tools returned. */
  last: string
  calls: readonly ToolCall[]
  results: readonly ToolResult[]
  tools: readonly string[]
  /** Number of this response, from 1. */
  turn: number
}

/** Text that harnesses add to the user's words: Claude Code's reminders, and how Codex and Gemini CLI describe their environment. */
const reminder = /<(system-reminder|environment_context|user_instructions|session_context)>[\s\S]*?<\/\1>\s*/g

export function readConversation(request: Dialogue): Conversation {
  const messages = request.messages.map(({ role, content }) => ({ role, blocks: toBlocks(content) }))
  const talk = messages.filter(({ role }) => role !== 'system')
  const calls = talk.flatMap(({ role, blocks }) => (role === 'assistant' ? blocks.flatMap(toToolCalls) : []))
  const users = talk.filter(({ role }) => role === 'user').map(({ blocks }) => blocks)
  return {
    model: request.model,
    system: [blocksText(toBlocks(request.system ?? [])), ...messages.flatMap(harnessTexts)]
      .filter(Boolean)
      .join('\n\n'),
    user: plain(blocksText((users[0] ?? []).filter(({ type }) => type === 'text'))),
    last: plain(blocksText(talk.at(-1)?.blocks ?? [])),
    calls,
    results: users.flatMap((blocks) => toToolResults(blocks, calls)),
    tools: (request.tools ?? []).map(({ name }) => name),
    turn: talk.filter(({ role }) => role === 'assistant').length + 1,
  }
}

function harnessTexts({ role, blocks }: { role: string; blocks: readonly Block[] }): string[] {
  const text = blocksText(blocks)
  if (role === 'system') return [text]
  return role === 'user' ? (text.match(reminder) ?? []).map((one) => one.trim()) : []
}

function toToolCalls(block: Block): ToolCall[] {
  if (block.type !== 'tool_use') return []
  const { id = '', name = '', input = {} } = block
  return [{ id, name, input, text: `${name} ${JSON.stringify(input)}` }]
}

/** The tool results of one message. Texts next to them are results too: Claude Code passes a skill's body that way. */
function toToolResults(blocks: readonly Block[], calls: readonly ToolCall[]): ToolResult[] {
  const results = blocks.flatMap((block): ToolResult[] => {
    if (block.type !== 'tool_result') return []
    const call = calls.find(({ id }) => id === block.tool_use_id) ?? null
    return [{ text: plain(blocksText([block])), isError: block.is_error === true, call }]
  })
  const giver = results.find(({ call }) => call?.name === 'Skill') ?? results.at(-1)
  const beside = plain(blocksText(blocks.filter(({ type }) => type === 'text')))
  return giver === undefined || beside === '' ? results : [...results, { ...giver, text: beside }]
}

function plain(text: string): string {
  return text.replace(reminder, '').trim()
}

function toBlocks(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** The text of blocks, including those inside tool results. */
export function blocksText(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.type === 'text') return block.text ?? ''
      return block.type === 'tool_result' ? blocksText(toBlocks(block.content ?? [])) : ''
    })
    .filter(Boolean)
    .join('\n')
}
