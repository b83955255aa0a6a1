/** One request as the rules see it: its texts, calls, results, turn and the conversation's seed. */
import { z } from 'zod'
import { sha256 } from '../base/json.ts'

const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  id: z.string().optional(),
  name: z.string().optional(),
  input: z.unknown().optional(),
  tool_use_id: z.string().optional(),
  content: z.unknown().optional(),
  is_error: z.boolean().nullish(),
})

export const messagesRequest = z.looseObject({
  model: z.string(),
  max_tokens: z.number().optional(),
  stream: z.boolean().optional(),
  system: z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))]).optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: z.union([z.string(), z.array(block)]) })).min(1),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
})

export type MessagesRequest = z.infer<typeof messagesRequest>

export interface ToolResult {
  tool: string
  text: string
  isError: boolean
}

export interface Conversation {
  model: string
  system: string
  /** The first user text, without what Claude Code wraps in <system-reminder>. */
  user: string
  last: string
  results: readonly ToolResult[]
  /** Each call so far as `Name {json input}`. */
  calls: readonly string[]
  tools: readonly string[]
  /** Which model response this will be, from 1. */
  turn: number
  /** Conversations that begin alike share it. */
  key: string
  /** The number of the conversation among those alike, when it began earlier; null: it begins now. */
  seed: number | null
}

/** The conversation of a request. */
export function conversationOf(request: MessagesRequest): Conversation {
  const system =
    typeof request.system === 'string'
      ? request.system
      : (request.system ?? []).map((part) => part.text ?? '').join('\n')
  const blocks = request.messages.flatMap(({ role, content }) =>
    (typeof content === 'string' ? [{ type: 'text', text: content }] : content).map((one) => ({
      role,
      ...block.parse(one),
    })),
  )
  const uses = blocks.filter((one) => one.type === 'tool_use')
  const names = new Map(uses.map((one) => [one.id ?? '', one.name ?? '']))
  const userTexts = blocks
    .filter((one) => one.role === 'user' && one.type === 'text')
    .map((one) => spoken(one.text ?? ''))
  const user = userTexts.find((text) => text !== '') ?? ''
  const results = blocks
    .filter((one) => one.type === 'tool_result')
    .map((one) => ({
      tool: names.get(one.tool_use_id ?? '') ?? '',
      text: textOf(one.content),
      isError: one.is_error === true,
    }))
  const final = request.messages.at(-1)
  const seeded = uses.map((one) => /^toolu_p(\d+)_/.exec(one.id ?? '')?.[1]).find((found) => found !== undefined)
  return {
    model: request.model,
    system,
    user,
    last:
      typeof final?.content === 'string'
        ? spoken(final.content)
        : (final?.content ?? []).map(lastText).filter(Boolean).join('\n'),
    results,
    calls: uses.map((one) => `${one.name} ${JSON.stringify(one.input ?? {})}`),
    tools: (request.tools ?? []).map((tool) => tool.name),
    turn: request.messages.filter((message) => message.role === 'assistant').length + 1,
    key: sha256(normalized(`${system}\n${user}`)),
    seed: seeded === undefined ? null : Number(seeded),
  }
}

function lastText(one: z.infer<typeof block>): string {
  return one.type === 'tool_result' ? textOf(one.content) : spoken(one.text ?? '')
}

function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  const parts = z.array(block).safeParse(content)
  return parts.success ? parts.data.map((part) => part.text ?? '').join('\n') : ''
}

function spoken(text: string): string {
  return text.replaceAll(/<system-reminder>[\s\S]*?<\/system-reminder>/g, '').trim()
}

/** Paths, ids, dates and numbers differ between two runs of one case; they do not make another conversation. */
function normalized(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/gi, '<id>')
    .replaceAll(/(?<![\w.])\/[^\s'"`)]+/g, '<path>')
    .replaceAll(/\d+/g, '<n>')
}
