/** The command engine's command line: words with shell-like quotes, placeholders, and files of the place where Whetstone was started. */
import { statSync } from 'node:fs'
import path from 'node:path'
import splitWords from 'string-argv'

export interface Invocation {
  program: string
  args: string[]
  /** The prompt when no word takes it; null: it is in a word. */
  stdin: string | null
}

/** What the placeholders stand for. */
export interface Filling {
  prompt: string
  model: string | null
}

/**
 * Splits a command line into words. No shell takes part: quotes group, and nothing else has a meaning.
 * Gives a message for the user where it can't be used.
 */
export function commandWords(line: string | null): { words: [string, ...string[]] } | { mistake: string } {
  const words = splitWords(`${line ?? ''} ${lastWord}`)
  if (words.pop() !== lastWord) return { mistake: `the command has a quote that is not closed: ${line}` }
  const [program, ...rest] = words
  return program ? { words: [program, ...rest] } : { mistake: 'the command engine needs a command' }
}

/** Set behind the line: an open quote would swallow it. */
const lastWord = '\u0000'

/** Which placeholders the words hold. */
export function placeholdersOf(words: readonly string[]): Set<string> {
  return new Set(words.flatMap((word) => [...word.matchAll(placeholder)].map(([, name = '']) => name)))
}

const placeholder = /\{(prompt|model)\}/g

/** Fills the placeholders, each once: a prompt that says {model} keeps it. */
export function fillWords(words: readonly [string, ...string[]], filling: Filling): Invocation {
  const fill = (word: string) =>
    word.replace(placeholder, (_, name: string) => (name === 'prompt' ? filling.prompt : (filling.model ?? '')))
  const [program, ...args] = words
  const stdin = placeholdersOf(words).has('prompt') ? null : filling.prompt
  return { program: fill(program), args: args.map(fill), stdin }
}

/**
 * Makes words absolute that name a file relative to `from` (the program only if it has a slash: else PATH finds it),
 * since the program starts in the run's own folder.
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

/** False also of what can't be asked for: a word may be longer than any path. */
function isFile(place: string): boolean {
  try {
    return statSync(place, { throwIfNoEntry: false })?.isFile() === true
  } catch {
    return false
  }
}
