/** Turns a mistake on the command line into an error with the problem, a likely correction and where the help is. */
import { UserError } from '../base/errors/error.ts'
import { findNearest, suggestChoice } from '../base/text/did_you_mean.ts'
import { findRefusal } from './commands/options/flag.ts'
import { commandGroups, commandNames } from './help/installed_text.ts'

/** The command's options as the parser stores them. */
export interface KnownOptions {
  key: Readonly<Record<string, unknown>>
  number: readonly string[]
  boolean: readonly string[]
  array: readonly string[]
  alias: Readonly<Record<string, readonly string[]>>
}

/** The parser's message as a UserError. `known`: the names of the command's options. */
export function toUsageError(message: string, argv: readonly string[], known: readonly string[]): UserError {
  const command = argv.find((word) => commandNames.includes(word)) ?? ''
  const [args = ''] = Object.values(commandGroups).find((group) => Object.hasOwn(group, command))?.[command] ?? []
  const help = `see whetstone ${command && `${command} `}--help`
  if (/^Not enough non-option/.test(message)) return new UserError(`${command} needs ${args}`, help)
  const refusal = findRefusal(message, argv)
  if (refusal !== null) return refusal
  const [, flag, given = '', choices = ''] =
    /^Invalid values:\s+Argument: ([^,]+), Given: (.*), Choices: (.*)$/s.exec(message) ?? []
  if (flag !== undefined) {
    const name = args.includes(flag) ? `${command} ${flag}` : `--${flag}`
    const values = choices.split(', ').map((one) => one.replaceAll('"', ''))
    return new UserError(`${name}: unknown value ${given}`, suggestChoice(given.replaceAll('"', ''), values))
  }
  const [, bare] = /^Not enough arguments following: (\S+)$/.exec(message) ?? []
  if (bare !== undefined) return new UserError(`--${bare}: no value`, `add a value after it; ${help}`)
  const [, unknown] = /^Unknown arguments?: (.+)$/.exec(message) ?? []
  const words = withoutCamelCopies(unknown?.split(', ') ?? [])
  if (words.length === 0) return new UserError(message, help)
  const plural = words.length > 1 ? 's' : ''
  if (words.every((word) => argv.includes(word))) {
    const said = words.map((word) => `"${word}"`).join(', ')
    return new UserError(`unknown argument${plural}: ${said}`, `${command} takes ${args || 'only flags'}; ${help}`)
  }
  const instead = words.flatMap((word) => retiredFlags[`${command} --${word}`] ?? [])[0]
  const near = [...new Set(words.flatMap((word) => findNearest(word, known, 1)))]
  const found = near.length > 0 ? `did you mean ${near.map((one) => `"--${one}"`).join(', ')}?` : help
  const hint = instead ?? found
  return new UserError(`unknown option${plural}: ${words.map((word) => `"--${word}"`).join(', ')}`, hint)
}

/** What serves in place of a flag that is gone. */
const retiredFlags: Readonly<Record<string, string>> = Object.fromEntries(
  ['runs', 'test-runs', 'iterations', 'threshold'].map((flag) => [
    `improve --${flag}`,
    '--total-runs limits the runs of a session, with --description too',
  ]),
)

/** The parser names `--some-flag` twice: as written, and as someFlag. */
function withoutCamelCopies(words: readonly string[]): string[] {
  const copies = new Set(words.filter((word) => word.includes('-')).map(camelCase))
  return words.filter((word) => word.includes('-') || !copies.has(word))
}

function camelCase(word: string): string {
  return word.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/**
 * Throws UserError for what the parser would misread: a switch with a value other than true or false (it reads it as false, so
 * --dry-run=yes would run), and a number given twice (it adds two values if the last is 1).
 */
export function checkWords(argv: readonly string[], { number, boolean, alias }: KnownOptions): void {
  const end = argv.indexOf('--')
  const given = argv.slice(0, end < 0 ? undefined : end).flatMap(readFlags)
  const named = (option: string) =>
    given.filter(({ name }) => [option, ...(alias[option] ?? [])].map(camelCase).includes(name))
  for (const option of number) if (named(option).length > 1) throw givenTwiceError(`--${option}`)
  for (const option of boolean) {
    const odd = named(option).find(({ value }) => value !== undefined && value !== 'true' && value !== 'false')
    if (odd === undefined) continue
    const fix = `use --${option} without a value, or remove it`
    throw new UserError(`--${option}: expected true or false, got "${odd.value}"`, fix)
  }
}

/** The flags in a word, in camel case; each letter before a value is one: -yn5 is y and n. */
function readFlags(word: string): { name: string; value?: string | undefined }[] {
  const [, long, value] = /^--(?:no-)?([^=]+)(?:=(.*))?$/s.exec(word) ?? []
  if (long !== undefined) return [{ name: camelCase(long), value }]
  const [, letters = ''] = /^-([a-z]+)/i.exec(word) ?? []
  return [...letters].map((name) => ({ name }))
}

function givenTwiceError(flag: string): UserError {
  return new UserError(`${flag}: given more than once`, 'pass it once')
}

/** Throws UserError for an empty value, and for a repeated flag that takes one value. */
export function checkValues(
  parsed: Readonly<Record<string, unknown>>,
  { array }: KnownOptions,
  positionals: readonly string[],
): true {
  const repeatable = new Set(['_', ...array, ...array.map(camelCase)])
  for (const [name, value] of Object.entries(parsed)) {
    const flag = positionals.includes(name) ? name : `--${name}`
    if (Array.isArray(value) && !repeatable.has(name)) throw givenTwiceError(flag)
    if ([value].flat().includes('')) throw new UserError(`${flag}: empty`, 'pass a value, or remove it')
  }
  return true
}
