/** What a request says, as rules see it: texts, tool calls, tool results, and which response is due. */
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
  /** The call it answers; null when that is not in the conversation. */
  call: ToolCall | null
}

export interface Conversation {
  model: string
  /** The system prompt, and behind it what the agent's harness added to messages (`reminder` blocks, system messages). */
  system: string
  /** The first text of the user. */
  user: string
  /** The last message: its text, or what the tools returned. */
  last: string
  calls: readonly ToolCall[]
  results: readonly ToolResult[]
  /** Names of the tools on offer. */
  tools: readonly string[]
  /** Which response this is, from 1. */
  turn: number
}

/** What harnesses put beside the words of the user: Claude Code's reminders, Codex's account of its surroundings. */
const reminder = /<(system-reminder|environment_context|user_instructions)>[\s\S]*?<\/\1>\s*/g

export function readConversation(request: Dialogue): Conversation {
  const messages = request.messages.map(({ role, content }) => ({ role, blocks: blocksOf(content) }))
  const talk = messages.filter(({ role }) => role !== 'system')
  const calls = talk.flatMap(({ role, blocks }) => (role === 'assistant' ? blocks.flatMap(callOf) : []))
  const users = talk.filter(({ role }) => role === 'user').map(({ blocks }) => blocks)
  return {
    model: request.model,
    system: [textOf(blocksOf(request.system ?? [])), ...messages.flatMap(harnessTexts)].filter(Boolean).join('\n\n'),
    user: plain(textOf((users[0] ?? []).filter(({ type }) => type === 'text'))),
    last: plain(textOf(talk.at(-1)?.blocks ?? [])),
    calls,
    results: users.flatMap((blocks) => resultsOf(blocks, calls)),
    tools: (request.tools ?? []).map(({ name }) => name),
    turn: talk.filter(({ role }) => role === 'assistant').length + 1,
  }
}

function harnessTexts({ role, blocks }: { role: string; blocks: readonly Block[] }): string[] {
  const text = textOf(blocks)
  if (role === 'system') return [text]
  return role === 'user' ? (text.match(reminder) ?? []).map((one) => one.trim()) : []
}

function callOf(block: Block): ToolCall[] {
  if (block.type !== 'tool_use') return []
  const { id = '', name = '', input = {} } = block
  return [{ id, name, input, text: `${name} ${JSON.stringify(input)}` }]
}

/** The tool results of one message. Texts beside them are results too: Claude Code hands over a skill's body that way. */
function resultsOf(blocks: readonly Block[], calls: readonly ToolCall[]): ToolResult[] {
  const results = blocks.flatMap((block): ToolResult[] => {
    if (block.type !== 'tool_result') return []
    const call = calls.find(({ id }) => id === block.tool_use_id) ?? null
    return [{ text: plain(textOf([block])), isError: block.is_error === true, call }]
  })
  const giver = results.find(({ call }) => call?.name === 'Skill') ?? results.at(-1)
  const beside = plain(textOf(blocks.filter(({ type }) => type === 'text')))
  return giver === undefined || beside === '' ? results : [...results, { ...giver, text: beside }]
}

function plain(text: string): string {
  return text.replace(reminder, '').trim()
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

/** The text of blocks, those inside tool results included. */
export function textOf(blocks: readonly Block[]): string {
  return blocks
    .map((block) => {
      if (block.type === 'text') return block.text ?? ''
      return block.type === 'tool_result' ? textOf(blocksOf(block.content ?? [])) : ''
    })
    .filter(Boolean)
    .join('\n')
}
