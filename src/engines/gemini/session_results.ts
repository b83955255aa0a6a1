/** Prepares Gemini CLI's session file for `--resume`. */
import { lstatSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { tryParseJson } from '../../base/json/json.ts'
import { replaceOwnFile } from '../cli/own_files.ts'
import { findGeminiSession } from './session_file.ts'

/** A message of the user with nothing but results of tools. */
const results = z.looseObject({
  type: z.literal('user'),
  content: z.array(z.looseObject({ functionResponse: z.looseObject({}) })).min(1),
})

const changes = z.looseObject({ $set: z.looseObject({ messages: z.array(z.unknown()) }) })

/**
 * Version 0.60 and later record each result twice, with its call and as a message of the user. They send both when they resume, and the
 * API refuses that (google-gemini/gemini-cli, issue 29365). Removes the messages. A text: why it can't.
 */
export function dropRepeatedResults(home: string, folder: string): string | null {
  const file = findFile(folder)
  if (file === null) return 'the agent has removed the file of its session'
  const lines = readFileSync(file, 'utf8').split('\n')
  return replaceOwnFile(home, file, lines.flatMap(withoutResults).join('\n'))
}

function findFile(folder: string): string | null {
  try {
    const file = findGeminiSession(folder)
    return file !== null && lstatSync(file).isFile() ? file : null
  } catch {
    return null // its folder is gone
  }
}

function withoutResults(line: string): string[] {
  const record = tryParseJson(line)
  if (isResults(record)) return []
  const changed = changes.safeParse(record)
  if (!changed.success) return [line]
  const messages = changed.data.$set.messages.filter((one) => !isResults(one))
  return [JSON.stringify({ ...changed.data, $set: { ...changed.data.$set, messages } })]
}

function isResults(value: unknown): boolean {
  return results.safeParse(value).success
}
