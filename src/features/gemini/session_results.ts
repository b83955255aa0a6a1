/** Prepares Gemini CLI's session file for `--resume`. */
import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { replaceOwnFile } from '../../engines/cli/own_files.ts'
import { findGeminiSession } from './session_file.ts'

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
