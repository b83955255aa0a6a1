/** Turns a mistake on the command line into a message with the problem, a likely correction and where the help is. */
import { UserError } from '../base/errors/error.ts'
import { findNearest, suggestChoice } from '../base/text/did_you_mean.ts'
import { gradeFlags, sessionFlags } from './commands/grade/options.ts'
import { findRefusal } from './commands/options/refused_value.ts'
import { flagsByCommand } from './config/config_keys.ts'

const commands: Readonly<Record<string, string>> = {
  bench: '<skill>',
  eval: '<path>',
  test: '<package>',
  grade: '<benchmark>',
  aggregate: '<folder..>',
  compare: '<benchmark> [other]',
  audit: '<workspace>',
  demo: '',
  doctor: '',
  practice: '--scenario FILE',
  convert: '<suite>',
  init: '<skill>',
  check: '<skill>',
  triggers: '<skill>, or --all FOLDER',
  rank: '<skills..> --suite FILE, or <engines..> --skill SKILL',
  improve: '<skill>',
  prune: '<skill>',
  view: '[folder]',
  diff: '<before> <after>, or a folder of benchmarks',
  queue: 'work, status, drain, resume, retry or cancel',
}
const switches = new Set([
  'json',
  'analyze',
  'review',
  'resume',
  'force',
  'fresh',
  'full-grid',
  'cache',
  'no-cache',
  'all',
  'explain',
  'last-failed',
  'dry-run',
  'yes',
  'print-config',
  'trust-config',
  'anew',
  'calibrate',
  'trend',
  'open',
  'markdown',
  'no-open',
  'page',
  'no-page',
  'null',
  'oracle',
  'overlap',
  'report',
  'hooks',
  'keep',
  'summary-only',
  'description',
  'grow-suite',
  'use-drafts',
  'apply',
  'stop-early',
  'no-stop-early',
  'help',
  'version',
])
const repeatable = new Set([
  'from-sessions',
  'fromSessions',
  'confirm-on',
  'protect',
  'confirmOn',
  'compare',
  'label',
  'among',
  'gate',
  'reporter',
  'fail-on',
  'failOn',
  'allow-read',
  'allowRead',
  'case',
  'columns',
  'expect',
  'pass-env',
  'passEnv',
  'skill',
  'agents',
  'benchmarks',
  'contenders',
  'workspaces',
  '_',
])
/** Commands with a table of flags, to match a mistyped flag against. */
const flagTables: Readonly<Record<string, object>> = {
  ...flagsByCommand,
  grade: { ...gradeFlags, ...sessionFlags },
}
const flags = [
  ...Object.values(flagTables).flatMap((own) => Object.keys(own)),
  'critique',
  'sample',
  'only',
  'label',
  ...switches,
  'skill',
  'scenario',
  'port',
  'log',
  'fail-on',
  'to',
  'static',
  'arm',
  'output',
  'again',
  'candidate',
]

/** The parser's message as a UserError. */
export function toUsageError(message: string, argv: readonly string[]): UserError {
  const command = argv.find((word) => Object.hasOwn(commands, word))
  const help = `see whetstone ${command ? `${command} ` : ''}--help`
  if (command !== undefined && /^Not enough non-option/.test(message)) {
    return new UserError(`${command} needs ${commands[command]}`, help)
  }
  const refusal = findRefusal(message, argv)
  if (refusal !== null) return refusal
  const [, flag, given, choices] =
    /^Invalid values:\s+Argument: ([^,]+), Given: (.*), Choices: (.*)$/s.exec(message) ?? []
  if (flag !== undefined) {
    const name = flag === 'action' ? `${command} ${flag}` : `--${flag}` // a command's positional argument with choices
    const known = (choices ?? '').split(', ').map((one) => one.replaceAll('"', ''))
    return new UserError(`${name}: unknown value ${given}`, suggestChoice((given ?? '').replaceAll('"', ''), known))
  }
  const [, bare] = /^Not enough arguments following: (\S+)$/.exec(message) ?? []
  if (bare !== undefined) return new UserError(`--${bare}: no value`, `add a value after it; ${help}`)
  const [, unknown] = /^Unknown arguments?: (.+)$/.exec(message) ?? []
  const words = withoutCamelCopies(unknown?.split(', ') ?? [])
  if (command !== undefined && words.length > 0 && words.every((word) => argv.includes(word))) {
    return new UserError(unknownWords(words), `${takes(command)}; ${help}`)
  }
  const own = flagTables[command ?? '']
  const known = own === undefined ? flags : [...Object.keys(own), 'json', 'help']
  const near = [...new Set(words.flatMap((word) => findNearest(word, known, 1).filter((flag) => flag !== word)))]
  const hint = near.length > 0 ? `did you mean ${near.map((flag) => `"--${flag}"`).join(', ')}?` : help
  const elsewhere = command === undefined ? undefined : words.find((word) => flags.includes(word))
  if (elsewhere !== undefined) return new UserError(`${command} has no --${elsewhere} (other commands do)`, hint)
  return new UserError(words.length === 0 ? message : unknownFlags(words), hint)
}

function unknownWords(words: readonly string[]): string {
  return `unknown argument${words.length > 1 ? 's' : ''}: ${words.map((word) => `"${word}"`).join(', ')}`
}

function unknownFlags(words: readonly string[]): string {
  return `unknown option${words.length > 1 ? 's' : ''}: ${words.map((word) => `"--${word}"`).join(', ')}`
}

/** What a command takes besides flags. */
function takes(command: string): string {
  if (command === 'view') return 'view takes one folder; for two, use whetstone view --compare A B'
  return `${command} takes ${commands[command] || 'only flags'}`
}

/** The parser names `--some-flag` twice: as written, and as someFlag. */
function withoutCamelCopies(words: readonly string[]): string[] {
  const copies = new Set(words.filter((word) => word.includes('-')).map(camelCase))
  return words.filter((word) => word.includes('-') || !copies.has(word))
}

function camelCase(word: string): string {
  return word.replace(/-+(\w)/g, (_, letter: string) => letter.toUpperCase())
}

/** Throws UserError for a switch with a value other than true or false: the parser reads it as false, so --dry-run=yes would run. */
export function checkSwitches(argv: readonly string[]): void {
  const isTriggers = argv.includes('triggers')
  const isBench = argv.includes('bench')
  for (const word of argv) {
    const [, name = '', value = ''] = /^--([\w-]+)=(.*)$/s.exec(word) ?? []
    if (name === 'all' && isTriggers) continue // a folder there
    if (name === 'description' && isBench) continue // a text there
    if (switches.has(name) && value !== 'true' && value !== 'false') {
      throw new UserError(
        `--${name}: expected true or false, got "${value}"`,
        `use --${name} without a value, or remove it`,
      )
    }
  }
}

/** The command's options as the parser stores them. */
export interface KnownOptions {
  number: readonly string[]
  alias: Readonly<Record<string, readonly string[]>>
  /** Options that need a value. */
  narg: Readonly<Record<string, number>>
}

/**
 * Throws UserError for a number given twice: the parser adds two values if the last is 1. Ignores a flag without a value, which the parser
 * reports; the next word may belong to another flag.
 */
export function checkNumbers(argv: readonly string[], { number, alias, narg }: KnownOptions): void {
  const end = argv.indexOf('--')
  const words = argv.slice(0, end < 0 ? undefined : end)
  const needing = new Set(Object.keys(narg).flatMap((name) => [name, ...(alias[name] ?? [])].map(camelCase)))
  if (words.some((word, at) => lacksValue(word, words[at + 1], needing))) return
  const given = words.flatMap(wordFlags)
  for (const name of number) {
    const names = new Set([name, ...(alias[name] ?? [])].map(camelCase))
    if (given.filter((flag) => names.has(flag)).length > 1) throw givenTwiceError(`--${name}`)
  }
}

/** A negative number and `-` alone are values. */
function lacksValue(word: string, next: string | undefined, needing: ReadonlySet<string>): boolean {
  const [, long, letter] = /^(?:--([^=]+)|-([a-z]))$/i.exec(word) ?? []
  const isValue = next !== undefined && !/^-(?![\d.]|$)/.test(next)
  return !isValue && needing.has(camelCase(long ?? letter ?? ''))
}

/** The flags in a word, in camel case; each letter before a value is one: -yn5 is y and n. */
function wordFlags(word: string): string[] {
  const [, long] = /^--([^=]+)/.exec(word) ?? []
  if (long !== undefined) return [camelCase(long)]
  const [, letters = ''] = /^-([a-z]+)/i.exec(word) ?? []
  return [...letters]
}

function givenTwiceError(flag: string): UserError {
  return new UserError(`${flag}: given more than once`, 'pass it once')
}

/** Throws UserError for an empty value, and for a repeated flag that takes one value. */
export function checkValues(parsed: Readonly<Record<string, unknown>>): true {
  for (const [name, value] of Object.entries(parsed)) {
    const flag = `${name === 'skill' || name === 'benchmark' || name === 'benchmarks' || name === 'workspaces' || name === 'folder' || name === 'contenders' ? '' : '--'}${name}`
    if (Array.isArray(value) && !repeatable.has(name)) throw givenTwiceError(flag)
    const values: readonly unknown[] = Array.isArray(value) ? value : [value]
    if (values.includes('')) throw new UserError(`${flag}: empty`, 'pass a value, or remove it')
  }
  return true
}
