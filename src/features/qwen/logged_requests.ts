/** Reads the requests that Qwen Code logs: which skills it offered its model, and why the last response ended. The stream shows neither. */
import { closeSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod'
import { openRegularFile } from '../../base/fs/special_files.ts'
import { tryParseJson } from '../../base/json/json.ts'

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
