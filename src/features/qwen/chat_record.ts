/** Reads what Qwen Code records of a session and logs of its requests: tokens by kind, and failed requests that it repeats. The stream shows neither. */
import { closeSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import type { Usage } from '../../../schemas/usage.ts'
import { openRegularFile } from '../../base/fs/special_files.ts'
import { tryParseJson } from '../../base/json/json.ts'
import { FollowedFile } from '../../engines/cli/followed_file.ts'
import { parseJsonLine } from '../../engines/cli/json_line.ts'
import { addUsage, noUsage } from '../../engines/models/cost.ts'

const count = z.number().nonnegative().catch(0).default(0)

const shared = { 'event.timestamp': z.string(), duration_ms: count }
const requestEnd = z.discriminatedUnion('event.name', [
  z.looseObject({
    'event.name': z.literal('qwen-code.api_response'),
    ...shared,
    input_token_count: count,
    output_token_count: count,
    cached_content_token_count: count,
    thoughts_token_count: count,
  }),
  z.looseObject({
    'event.name': z.literal('qwen-code.api_error'),
    ...shared,
    error_message: z.string().default(''),
    status_code: z.number().optional(),
  }),
])
type RequestEnd = z.infer<typeof requestEnd>

const record = z.looseObject({ systemPayload: z.looseObject({ uiEvent: requestEnd }) })

/** A request that failed. `status`: null without an answer. */
export interface FailedRequest {
  message: string
  status: number | null
}

/** Called with a failed request and the milliseconds until the next one was sent. */
type OnRetry = (failed: FailedRequest, waitMs: number) => void

/** Follows the record of one session below Qwen Code's home; the fields contain what has been read so far. */
export class ChatRecord extends FollowedFile {
  /** How many requests were answered. */
  answers = 0
  usage: Usage = noUsage
  /** How many requests in a row have failed. */
  failures = 0
  lastError: FailedRequest | null = null

  readonly #onRetry: OnRetry
  /** When the last request failed, in ms since 1970; null: the last one was answered. */
  #failedAt: number | null = null

  /** `onRetry` is called once the request has ended that followed a failed one. */
  constructor({ home, sessionId }: { home: string; sessionId: string }, onRetry: OnRetry) {
    super(() => findRecord(home, sessionId))
    this.#onRetry = onRetry
  }

  catchUp(): void {
    for (const line of this.readLines()) {
      const read = parseJsonLine(line)
      const known = read.kind === 'object' ? record.safeParse(read.value) : null
      if (known?.success) this.#take(known.data.systemPayload.uiEvent)
    }
  }

  #take(end: RequestEnd): void {
    const endedAt = Date.parse(end['event.timestamp']) || 0
    if (this.#failedAt !== null && this.lastError !== null) {
      this.#onRetry(this.lastError, Math.max(0, endedAt - end.duration_ms - this.#failedAt))
    }
    if (end['event.name'] === 'qwen-code.api_response') {
      this.#failedAt = null
      this.failures = 0
      this.answers += 1
      this.usage = addUsage(this.usage, toUsage(end))
    } else {
      this.#failedAt = endedAt
      this.failures += 1
      this.lastError = { message: end.error_message, status: end.status_code ?? null }
    }
  }
}

/** Its input includes the cached tokens, as Chat Completions counts them. That API does not count tokens written to a cache. */
function toUsage(end: Extract<RequestEnd, { 'event.name': 'qwen-code.api_response' }>): Usage {
  const cached = Math.min(end.cached_content_token_count, end.input_token_count)
  return {
    input_tokens: end.input_token_count - cached,
    output_tokens: end.output_token_count,
    cache_read_tokens: cached,
    cache_write_tokens: 0,
    ...(end.thoughts_token_count > 0 ? { reasoning_tokens: end.thoughts_token_count } : {}),
  }
}

/** The folder of the project is named after the working folder in Qwen Code's own way. */
function findRecord(home: string, sessionId: string): string | null {
  const projects = path.join(home, 'projects')
  for (const name of listFolder(projects)) {
    const chats = path.join(projects, name, 'chats')
    if (listFolder(chats).includes(`${sessionId}.jsonl`)) return path.join(chats, `${sessionId}.jsonl`)
  }
  return null
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // not created yet
  }
}

const logged = z.looseObject({
  request: z.looseObject({ messages: z.array(z.unknown()).default([]) }),
  response: z
    .looseObject({ choices: z.array(z.looseObject({ finish_reason: z.string().nullish() })).default([]) })
    .nullish(),
})

/** A request of the main conversation: the names of others, such as a sub-agent's, have more parts. */
const mainRequest = /^openai-[\dT.Z-]+-[0-9a-f]{8}\.json$/

export class LoggedRequests {
  /** The skills that its first request offers; null: not known. */
  offered: string[] | null = null
  /** Why the last response ended, in the words of Chat Completions; null: none has ended. */
  finishReason: string | null = null

  readonly #folder: string
  readonly #read = new Set<string>()

  constructor(folder: string) {
    this.#folder = folder
  }

  catchUp(): void {
    for (const name of this.#listNew()) {
      const read = logged.safeParse(readJson(path.join(this.#folder, name)))
      if (!read.success) return // not written to its end
      this.#read.add(name)
      this.offered ??= findOfferedSkills(read.data.request.messages)
      this.finishReason = read.data.response?.choices[0]?.finish_reason ?? this.finishReason
    }
  }

  /** Leaves out what has been logged by now. */
  skipWritten(): void {
    for (const name of this.#listNew()) this.#read.add(name)
  }

  /** Their names begin with the time. */
  #listNew(): string[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => mainRequest.test(name) && !this.#read.has(name))
        .sort()
    } catch {
      return [] // not created yet
    }
  }
}

/** The names in its list of skills; null: there is no list, though some skills are part of the program. */
function findOfferedSkills(messages: readonly unknown[]): string[] | null {
  const [, list] = /<available_skills>([\s\S]*?)<\/available_skills>/.exec(joinTexts(messages)) ?? []
  return list === undefined
    ? null
    : [...list.matchAll(/<skill>\s*<name>\s*(\S+)\s*<\/name>/g)].map(([, name = '']) => name)
}

function joinTexts(value: unknown): string {
  if (typeof value === 'string') return value
  if (value === null || typeof value !== 'object') return ''
  return Object.values(value).map(joinTexts).join('\n')
}

function readJson(file: string): unknown {
  const handle = openRegularFile(file)
  if (handle === null) return undefined
  try {
    return tryParseJson(readFileSync(handle, 'utf8'))
  } finally {
    closeSync(handle)
  }
}
