/** Reads from Gemini CLI's session file the tokens of each answer, and what its tools gave the model: the stream shows neither. */
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { FollowedFile, replaceOwnFile } from '../../engines/cli/followed_file.ts'

const count = z.number().nonnegative().catch(0).default(0)

const response = z.record(z.string(), z.unknown())
const part = z.looseObject({ functionResponse: z.looseObject({ id: z.string(), response }).optional() })

const answer = z.looseObject({
  type: z.literal('gemini'),
  id: z.string(),
  timestamp: z.string().optional(),
  model: z.string().optional(),
  tokens: z.looseObject({ input: count, cached: count, output: count, thoughts: count }).nullish(),
  toolCalls: z.array(z.looseObject({ id: z.string(), result: z.array(part).nullish() })).nullish(),
})

/** Tokens of one answer; cached ones are part of the input, thoughts are not part of the output. */
export type GeminiTokens = Record<'input' | 'cached' | 'output' | 'thoughts', number>

/** Follows the session file below `folder` while it is written. */
export class GeminiSession extends FollowedFile {
  /** Of each complete answer, by its id: it is written again once its tools have ended. */
  readonly tokens = new Map<string, GeminiTokens>()
  /** The model that answered last. */
  model: string | null = null
  /** When it answered last, in ms since 1970; 0: never. */
  answeredAt = 0

  readonly #outputs = new Map<string, string>()

  constructor(folder: string) {
    super(() => findGeminiSession(folder))
  }

  /** What the call with this id gave the model; null: not known. */
  output(id: string): string | null {
    this.catchUp()
    return this.#outputs.get(id) ?? null
  }

  catchUp(): void {
    for (const line of this.readLines()) {
      const read = answer.safeParse(tryParseJson(line))
      if (read.success) this.#take(read.data)
    }
  }

  #take({ id, timestamp = '', model, tokens, toolCalls }: z.infer<typeof answer>): void {
    if (tokens) {
      this.tokens.set(id, tokens)
      this.answeredAt = Date.parse(timestamp) || this.answeredAt
      this.model = model ?? this.model
    }
    for (const { id: call, result } of toolCalls ?? []) {
      const [given] = (result ?? []).flatMap(({ functionResponse }) => functionResponse ?? [])
      if (given !== undefined) this.#outputs.set(call, toText(given.response))
    }
  }
}

function toText({ output, error, ...rest }: z.infer<typeof response>): string {
  const value = output ?? error ?? rest
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** The session's file below a folder, null: there is none. Its folder has one session; those of sub-agents are in folders of their own. */
function findGeminiSession(folder: string): string | null {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const file = found.filter((one) => /^[^/]+\/chats\/session-[^/]+\.jsonl$/.test(one)).sort()[0]
  return file === undefined ? null : path.join(folder, file)
}

/** A message of the user with nothing but results of tools. */
const results = z.looseObject({
  type: z.literal('user'),
  content: z.array(z.looseObject({ functionResponse: z.looseObject({ id: z.string() }) })).min(1),
})

const withCalls = z.looseObject({ toolCalls: z.array(z.looseObject({ id: z.string(), result: z.array(z.unknown()) })) })

const changes = z.looseObject({ $set: z.looseObject({ messages: z.array(z.unknown()) }) })

/**
 * Version 0.60 and later record each result twice, with its call and as a message of the user. They send both when they resume, and the
 * API refuses that (google-gemini/gemini-cli, issue 29365). Removes the messages. After a resume they record a call without its result, and
 * then the message stays. A text: why it can't.
 */
export function dropRepeatedResults(home: string, folder: string): string | null {
  const file = findFile(folder)
  if (file === null) return 'the agent has removed the file of its session'
  const records = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => ({ line, record: tryParseJson(line) }))
  const known = listResults(records.map(({ record }) => record))
  const kept = records.filter(({ record }) => !isRepeated(record, known)).map(withoutResults)
  const refusal = replaceOwnFile(home, file, kept.join('\n'))
  if (refusal === null) removeLaterFiles(file)
  return refusal
}

/** A start in a later minute leaves a file of its own with the beginning of the session, and the next start would take that one. */
function removeLaterFiles(file: string): void {
  const folder = path.dirname(file)
  for (const name of readdirSync(folder)) {
    if (/^session-.*\.jsonl$/.test(name) && name !== path.basename(file))
      rmSync(path.join(folder, name), { force: true })
  }
}

function findFile(folder: string): string | null {
  try {
    const file = findGeminiSession(folder)
    return file !== null && lstatSync(file).isFile() ? file : null
  } catch {
    return null // its folder is gone
  }
}

function withoutResults({ line, record }: { line: string; record: unknown }): string {
  const changed = changes.safeParse(record)
  if (!changed.success) return line
  const { messages } = changed.data.$set
  const known = listResults(messages)
  const kept = messages.filter((one) => !isRepeated(one, known))
  return kept.length === messages.length
    ? line
    : JSON.stringify({ ...changed.data, $set: { ...changed.data.$set, messages: kept } })
}

/** The calls that are recorded with their results. */
function listResults(records: readonly unknown[]): Set<string> {
  const calls = records.flatMap((one) => withCalls.safeParse(one).data?.toolCalls ?? [])
  return new Set(calls.map(({ id }) => id))
}

function isRepeated(value: unknown, known: ReadonlySet<string>): boolean {
  const read = results.safeParse(value)
  return read.success && read.data.content.every(({ functionResponse: { id } }) => known.has(id))
}
