/** A practice server and the official SDK talking to it. */
import Anthropic from '@anthropic-ai/sdk'
import type { PracticeServer } from '../../../src/features/practice/server.ts'
import { practice } from '../../engines/stage.ts'

export interface Bench extends AsyncDisposable {
  server: PracticeServer
  client: Anthropic
  /** The whole message that the server gives to this text and these options. */
  say(text: string, more?: Partial<Anthropic.MessageCreateParamsNonStreaming>): Promise<Anthropic.Message>
  /** The text of the answer, after these turns. */
  textOf(turns: readonly Turn[], more?: Partial<Anthropic.MessageCreateParamsNonStreaming>): Promise<string>
}

/** What the user says, what the model called and got; an `error` result is marked as one. */
export type Turn =
  | { user: string }
  | { said: string }
  | { call: string; input?: Record<string, unknown>; result?: string; error?: string; id?: string }

export async function openBench(yaml: string): Promise<Bench> {
  const server = await practice(yaml)
  const client = new Anthropic({ apiKey: 'k', baseURL: server.url, maxRetries: 0, logLevel: 'off' })
  const create = (
    messages: Anthropic.MessageParam[],
    more: Partial<Anthropic.MessageCreateParamsNonStreaming>,
  ): Promise<Anthropic.Message> => client.messages.create({ model: 'm', max_tokens: 100, messages, ...more })
  return {
    server,
    client,
    say: (text, more = {}) => create([{ role: 'user', content: text }], more),
    textOf: async (turns, more = {}) => textIn(await create(turns.flatMap(messagesOf), more)),
    [Symbol.asyncDispose]: () => server.close(),
  }
}

let unique = 0

export function messagesOf(turn: Turn): Anthropic.MessageParam[] {
  if ('user' in turn) return [{ role: 'user', content: turn.user }]
  if ('said' in turn) return [{ role: 'assistant', content: turn.said }]
  unique += 1
  const id = turn.id ?? `toolu_other_${unique}`
  const content = turn.error ?? turn.result ?? ''
  return [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: turn.call, input: turn.input ?? {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error: turn.error !== undefined }] },
  ]
}

export function textIn(message: Anthropic.Message): string {
  return message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('')
}

export function callsIn(message: Anthropic.Message): { name: string; input: unknown }[] {
  return message.content.flatMap((block) =>
    block.type === 'tool_use' ? [{ name: block.name, input: block.input }] : [],
  )
}

export function tools(...names: string[]): Anthropic.Tool[] {
  return names.map((name) => ({ name, input_schema: { type: 'object' } }))
}
