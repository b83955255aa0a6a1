/** Reads what the stream does not show from Codex's own session file, during the run: responses, calls and the model's instructions. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { FollowedFile } from '../cli/followed_file.ts'
import type { HookEnd } from '../hooks/hook_outcome.ts'
import { hooksFile } from './environment_settings.ts'
import { codexUsage } from './stream_records.ts'

/** A line of a session file that is used here. */
export const codexEntry = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('session_meta'), payload: z.looseObject({ cli_version: z.string().optional() }) }),
  z.looseObject({ type: z.literal('turn_context'), payload: z.looseObject({ model: z.string().optional() }) }),
  z.looseObject({ type: z.literal('token_usage_record'), payload: z.looseObject({ usage: codexUsage }) }),
  z.looseObject({
    type: z.literal('response_item'),
    payload: z.looseObject({
      type: z.string(),
      role: z.string().optional(),
      call_id: z.string().optional(),
      name: z.string().optional(),
      arguments: z.string().optional(),
      output: z.unknown().optional(),
      content: z.array(z.looseObject({ text: z.string().optional() })).nullish(),
    }),
  }),
])

type Entry = z.infer<typeof codexEntry>
type ResponseItem = Extract<Entry, { type: 'response_item' }>['payload']

const countedFields = ['input_tokens', 'cached_input_tokens', 'cache_write_input_tokens', 'output_tokens'] as const
export type CodexTokens = Record<(typeof countedFields)[number] | 'reasoning_output_tokens', number>

export interface CodexBlock {
  /** `tool`: its name for hooks. */
  call: { id: string; name: string; tool: string; input: unknown } | null
  reason: string
  step: number
}

/** A call of `questionTool`, with the answer that the agent got. */
export interface CodexQuestion {
  id: string
  input: unknown
  output: string
  step: number
}

export const questionTool = 'request_user_input'

/** Characters; a longer line contains no entry that is used here. */
const lineLimit = 2 * 1024 * 1024

/** Follows the session file below `home` while it is written; if there is none, `isThere` stays false. */
export class CodexJournal {
  /** Responses of the model so far. */
  responses = 0
  version: string | null = null
  model: string | null = null
  /** The skills in the model's instructions; null: not known yet. */
  skills: string[] | null = null
  /** Tokens of all responses so far; null: none. */
  tokens: CodexTokens | null = null
  /** The numbers of the responses that contain the k-th message and the k-th reasoning. */
  readonly stepOf = { message: [] as number[], reasoning: [] as number[] }

  /** Questions to the user that have ended; the stream shows none of them. */
  readonly questions: CodexQuestion[] = []

  /** What hooks blocked: calls, which the stream leaves out, and the end of the work (`call` null). */
  readonly blocks: CodexBlock[] = []

  /** Hooks that have ended, in order. */
  readonly hooks: HookEnd[] = []

  readonly #file: FollowedFile
  readonly #hooks: FollowedFile
  readonly #pending = new Map<string, ResponseItem>()
  #calls = { now: 0, last: 0 }

  constructor(home: string) {
    this.#file = new FollowedFile(() => findSession(path.join(home, 'sessions')))
    this.#hooks = new FollowedFile(() => path.join(home, hooksFile))
  }

  get isThere(): boolean {
    return this.#file.isOpen
  }

  /** Whether the last response called tools and all of them have answered, so that the next request is due. */
  get isMidway(): boolean {
    return this.#calls.last > 0 && this.#pending.size === 0
  }

  /** The number of the response whose tools are running. */
  get current(): number {
    return this.responses + (this.#calls.now > 0 ? 1 : 0)
  }

  /** Reads what has been written since the last time. */
  catchUp(): void {
    for (const line of this.#file.readLines()) if (line.length <= lineLimit) this.#takeLine(line)
    for (const line of this.#hooks.readLines()) {
      const [event = '', code, output = ''] = line.split(' ')
      this.hooks.push({ event, exitCode: Number(code), stdout: Buffer.from(output, 'base64').toString(), stderr: '' })
    }
  }

  /** Leaves out what has been written by now. */
  skipWritten(): void {
    this.#file.skipWritten()
    this.#hooks.skipWritten()
  }

  close(): void {
    this.#file.close()
    this.#hooks.close()
  }

  #takeLine(line: string): void {
    if (!/"type":"(session_meta|turn_context|token_usage_record|response_item)"/.test(line.slice(0, 200))) return
    const read = codexEntry.safeParse(tryParseJson(line))
    if (read.success) this.#take(read.data)
  }

  #take({ type, payload }: Entry): void {
    switch (type) {
      case 'session_meta':
        this.version = payload.cli_version ?? null
        return
      case 'turn_context':
        this.model = payload.model ?? this.model
        this.skills ??= []
        return
      case 'token_usage_record':
        this.responses += 1
        this.#calls = { now: 0, last: this.#calls.now }
        this.tokens = addCodexTokens(this.tokens, payload.usage)
        return
      case 'response_item':
        this.#takeItem(payload)
    }
  }

  #takeItem(item: ResponseItem): void {
    if (item.type === 'message' && item.role === 'developer') this.#takeInstructions(item)
    else if (item.type === 'message' && item.role === 'assistant') this.stepOf.message.push(this.responses + 1)
    else if (item.type === 'reasoning') this.stepOf.reasoning.push(this.responses + 1)
    else if (item.type === 'message' && item.role === 'user') this.#takePrompt(item)
    else if (item.call_id !== undefined && item.type.endsWith('_output')) this.#takeOutput(item.call_id, item)
    else if (item.call_id !== undefined) {
      this.#pending.set(item.call_id, item)
      this.#calls.now += 1
    }
  }

  #takeOutput(id: string, { output }: ResponseItem): void {
    const call = this.#pending.get(id)
    this.#pending.delete(id)
    const text = typeof output === 'string' ? output : ''
    if (call?.name === questionTool) {
      this.questions.push({ id, input: tryParseJson(call.arguments ?? '{}'), output: text, step: this.current })
      return
    }
    const reason = /^[\w ]+ blocked by PreToolUse hook: ([\s\S]*)$/.exec(text)?.[1]
    if (call === undefined || reason === undefined) return
    const { name = '', arguments: input = '{}' } = call
    // for hooks, its shell is named Bash
    const asked = { id, name, tool: name === 'exec_command' ? 'Bash' : name, input: tryParseJson(input) }
    this.blocks.push({ call: asked, reason: reason.replace(/\. Command: [\s\S]*$/, ''), step: this.current })
  }

  #takePrompt({ content }: ResponseItem): void {
    for (const { text = '' } of content ?? []) {
      const reason = /^<hook_prompt [^>]*>([\s\S]*)<\/hook_prompt>$/.exec(text)?.[1]
      if (reason !== undefined) this.blocks.push({ call: null, reason, step: this.responses })
    }
  }

  #takeInstructions({ content }: ResponseItem): void {
    const names = listCodexSkills((content ?? []).map((part) => part.text ?? '').join('\n'))
    if (names !== null) this.skills = [...new Set([...(this.skills ?? []), ...names])]
  }
}

/** The skills that instructions of the model list; null: the text has no such list. */
export function listCodexSkills(text: string): string[] | null {
  const listed = /<skills_instructions>([\s\S]*?)<\/skills_instructions>/.exec(text)?.[1]
  if (listed === undefined) return null
  return [...listed.matchAll(/^- ([^\s:]+(?::[^\s:]+)?): .*\(file: .*\)$/gm)].flatMap(([, name]) => name ?? [])
}

/** The first session file; null if there is none yet. Throws if the folder is not there yet. */
function findSession(folder: string): string | null {
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const file = all.find((name) => /rollout-.*\.jsonl$/.test(name))
  return file === undefined ? null : path.join(folder, file)
}

export function addCodexTokens(before: CodexTokens | null, one: z.infer<typeof codexUsage>): CodexTokens {
  const names = [...countedFields, 'reasoning_output_tokens'] as const
  const pairs = names.map((name) => [name, (before?.[name] ?? 0) + one[name]] as const)
  return Object.fromEntries(pairs) as CodexTokens
}
