/** The command line of a program about which nothing else is known: its words, placeholders and files, its keys, and the servers that it may reach. */
import { statSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import splitWords from 'string-argv'
import type { EngineChoice } from '../../schemas/plan.ts'
import type { SuitePrograms } from '../../schemas/suite.ts'
import { attempt } from '../base/errors/attempt.ts'
import { hashFile } from '../base/fs/files.ts'
import type { KeyedServer } from './cli/key_placeholders.ts'
import type { EngineTask } from './engine.ts'
import { chatRequests, geminiRequests, messagesRequests, responsesRequests } from './models/wire_requests.ts'

export interface CommandInvocation {
  program: string
  args: string[]
  /** The prompt if no word contains it; null: a word does. */
  stdin: string | null
}

export interface Filling {
  prompt: string
  model: string | null
}

/**
 * Splits a command line into words, without a shell: quotes group, and nothing else has a special meaning.
 * Returns a message for the user if the line can't be used.
 */
export function splitCommandLine(line: string | null): { words: [string, ...string[]] } | { mistake: string } {
  const words = splitWords(`${line ?? ''} ${lastWord}`)
  if (words.pop() !== lastWord) return { mistake: `the command has a quote that is not closed: ${line}` }
  const [program, ...rest] = words
  return program ? { words: [program, ...rest] } : { mistake: 'the command engine needs a command' }
}

/** Added at the end of the line: an open quote would swallow it. */
const lastWord = '\u0000'

export function findPlaceholders(words: readonly string[]): Set<string> {
  return new Set(words.flatMap((word) => [...word.matchAll(placeholder)].map(([, name = '']) => name)))
}

const placeholder = /\{(prompt|model)\}/g

/** Fills the placeholders in one pass: {model} in a prompt stays as it is. */
export function fillWords(words: readonly [string, ...string[]], filling: Filling): CommandInvocation {
  const fill = (word: string) =>
    word.replace(placeholder, (_, name: string) => (name === 'prompt' ? filling.prompt : (filling.model ?? '')))
  const [program, ...args] = words
  const stdin = findPlaceholders(words).has('prompt') ? null : filling.prompt
  return { program: fill(program), args: args.map(fill), stdin }
}

/**
 * Makes words absolute if they name a file relative to `from` (the program only if it has a slash: otherwise it is found on PATH),
 * because the program starts in the run's own folder.
 */
export function anchorWords(words: readonly [string, ...string[]], from: string): [string, ...string[]] {
  const [program, ...rest] = words
  const anchored = program.includes('/') ? path.resolve(from, program) : program
  return [anchored, ...rest.map((word) => anchorFile(word, from))]
}

function anchorFile(word: string, from: string): string {
  if (word === '' || word.startsWith('-') || path.isAbsolute(word)) return word
  const file = path.resolve(from, word)
  return isFile(file) ? file : word
}

/** Also false if the system can't look it up: a word may be longer than any path. */
function isFile(place: string): boolean {
  return attempt(() => statSync(place, { throwIfNoEntry: false })?.isFile() === true, false)
}

/** Files up to this many bytes are identified by their content; larger ones (an interpreter) by their path, size and time of change. */
const hashedBytes = 32 * 2 ** 20

/** One part for each word that is the absolute path of a file. Files that such a file reads or starts are not included. */
export async function readFileIdentity(words: readonly string[]): Promise<Record<string, string>> {
  const parts: Record<string, string> = {}
  for (const word of words) {
    const info = path.isAbsolute(word) ? await stat(word).catch(() => null) : null
    if (!info?.isFile()) continue
    const isLarge = info.size > hashedBytes
    parts[`program ${path.basename(word)}`] = isLarge
      ? `${word}, ${info.size} bytes of ${info.mtime.toISOString()}`
      : await hashFile(word)
  }
  return parts
}

/** What the user should know and do; null: no program of the suite has the name. */
export function describeShadowingProgram(
  { command }: Pick<EngineChoice, 'command'>,
  { executables, answers }: Pick<SuitePrograms, 'executables' | 'answers'>,
): { message: string; fix: string } | null {
  const agent = command === undefined ? null : splitCommandLine(command)
  const [first] = agent !== null && 'words' in agent ? agent.words : []
  if (first === undefined || ![...executables, ...Object.keys(answers)].includes(first)) return null
  return {
    message: `evals/bin/${first} would start in place of the agent's program`,
    fix: `name the agent's program by its path, such as /usr/bin/${first}`,
  }
}

export const anyProviderKeys: readonly string[] = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'ANTHROPIC_BASE_URL',
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  'CODEX_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_GEMINI_BASE_URL',
]

/**
 * A program may ignore the variable with the base URL. So it gets a placeholder only if that changes nothing: you gave a base URL, and the
 * sandbox lets the program reach nothing else.
 */
function keyedServer({ credentials, sandbox }: EngineTask, server: Omit<KeyedServer, 'url'>): KeyedServer | null {
  const url = credentials[server.address]
  return url && sandbox?.policy.network === 'none' ? { ...server, url } : null
}

/** Programs differ in whether the base URL has the /v1. */
function withAndWithoutVersion(requests: KeyedServer['requests']): KeyedServer['requests'] {
  return [...new Set(requests)].flatMap((one) => {
    const [method, path = ''] = one.split(/ (?:\/v1)?/)
    return [`${method} ${path}`, `${method} /v1${path}`] as KeyedServer['requests']
  })
}

/** Anthropic's server with its keys, for a program about which nothing is known; null: it gets the keys themselves. */
export function anthropicServer(task: EngineTask): KeyedServer | null {
  return keyedServer(task, {
    address: 'ANTHROPIC_BASE_URL',
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    requests: withAndWithoutVersion(messagesRequests),
    provider: 'anthropic',
  })
}

export function openaiServer(task: EngineTask): KeyedServer | null {
  return keyedServer(task, {
    address: 'OPENAI_BASE_URL',
    keys: ['OPENAI_API_KEY', 'CODEX_API_KEY'],
    requests: withAndWithoutVersion([...responsesRequests, ...chatRequests]),
    provider: 'openai',
  })
}

export function googleServer(task: EngineTask): KeyedServer | null {
  const server = { keys: ['GEMINI_API_KEY'], requests: geminiRequests, provider: 'google' }
  return keyedServer(task, { address: 'GOOGLE_GEMINI_BASE_URL', ...server })
}

/** The servers of the base URLs and keys that the program gets. A program that uses no model needs neither. */
export function reaches({ credentials }: Pick<EngineTask, 'credentials'>): string[] {
  const urls = [
    [['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'], 'ANTHROPIC_BASE_URL', 'https://api.anthropic.com'],
    [['OPENAI_API_KEY', 'CODEX_API_KEY'], 'OPENAI_BASE_URL', 'https://api.openai.com'],
    [['GEMINI_API_KEY'], 'GOOGLE_GEMINI_BASE_URL', 'https://generativelanguage.googleapis.com'],
  ] as const
  return urls.flatMap(([keys, setting, url]) => {
    const given = credentials[setting]
    if (given) return [given]
    return keys.some((key) => credentials[key]) ? [url] : []
  })
}
