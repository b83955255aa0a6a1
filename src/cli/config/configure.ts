/** A command line with what a configuration file adds to it: flags win, then the file, then the defaults. */
import path from 'node:path'
import yargs, { type ArgumentsCamelCase, type Argv } from 'yargs'
import { UserError } from '../../base/error.ts'
import { isBelow } from '../../base/sandbox/below.ts'
import { type FileMistake, fileError } from './file_mistakes.ts'
import { findConfig } from './find.ts'
import { rememberOrigins } from './from_file.ts'
import { type ConfiguredCommand, harmless, harmlessNames, settingsOf } from './keys.ts'
import type { Setting } from './read.ts'

export interface ConfigureRequest<T> {
  command: ConfiguredCommand
  /** As yargs has it: bench <skill..>. */
  usage: string
  options: (args: Argv) => Argv<T>
  argv: readonly string[]
  /** What argv alone means. */
  args: ArgumentsCamelCase<T>
  /** Where to look first, then above. */
  start: string
  /** A file in this folder, named where it really lies, came with the skill, and may set less; null: nobody else's. */
  skill: string | null
}

/** Where a value came from; suite: what the suite says holds, and our default where it says nothing. */
export type Origin =
  | { kind: 'flag' }
  | { kind: 'file'; file: string; line: number }
  | { kind: 'default' }
  | { kind: 'suite' }

export interface Configured<T> {
  args: ArgumentsCamelCase<T>
  /** The configuration file, absolute; null: none was found. */
  file: string | null
  origins: ReadonlyMap<string, Origin>
}

/** Throws UserError that names all mistakes in the file. */
export async function configure<T>(request: ConfigureRequest<T>): Promise<Configured<T>> {
  const { argv, command } = request
  const given = givenIn(argv)
  const flags = Object.keys(settingsOf(command))
  const usual = (key: string): Origin => ({ kind: ofSuite[command]?.has(key) ? 'suite' : 'default' })
  const origins = new Map<string, Origin>(flags.map((key) => [key, given.has(key) ? { kind: 'flag' } : usual(key)]))
  const file = await findConfig(request.start, process.env.HOME)
  if (file === null) return { args: request.args, file, origins }
  const { readConfig } = await import('./read.ts')
  const { settings, mistakes } = await readConfig(file, command)
  const isOthers = isOtherEngine(argv, settings)
  const isLeft = (key: string) => isMoot(key, { command, argv, given }) || (key === 'base-url' && isOthers)
  const used = settings.filter(({ key }) => !given.has(key) && !isLeft(key))
  const powers = powersOf(file, settings, request.skill)
  const may = used.filter(({ line }) => !powers.some((one) => one.line === line))
  const all = [...mistakes, ...powers, ...(await mistakesIn(may, command))]
  if (all.length > 0) throw fileError(file, all, command)
  for (const { key, line } of used) origins.set(key, { kind: 'file', file, line })
  rememberOrigins(origins)
  if (used.length === 0) return { args: request.args, file, origins }
  return { args: await parse(request, used.flatMap(wordsOf)), file, origins }
}

/** What this command says of values that another takes, and what the flags' own parsers say. */
async function mistakesIn(used: readonly Setting[], command: ConfiguredCommand): Promise<FileMistake[]> {
  const { refusedValues } = await import('./check_values.ts')
  const own = used.flatMap(({ key, line, mistake }) => {
    const fix = `give --${key}, or put one into the section ${command} of the file`
    return mistake === null ? [] : [{ line, text: `${key}: ${mistake}`, fix }]
  })
  const others = used.filter(({ mistake }) => mistake === null)
  return [...own, ...(await refusedValues(command, others))]
}

function wordsOf({ key, values }: Setting): string[] {
  return values.map((value) => `--${key}=${value}`)
}

async function parse<T>(
  { usage, options, argv }: ConfigureRequest<T>,
  words: readonly string[],
): Promise<ArgumentsCamelCase<T>> {
  const found: ArgumentsCamelCase<T>[] = []
  const end = argv.indexOf('--')
  const all = end < 0 ? [...argv, ...words] : [...argv.slice(0, end), ...words, ...argv.slice(end)]
  await yargs(all)
    .command(usage, '', options, (parsed) => void found.push(parsed))
    .help(false)
    .version(false)
    .exitProcess(false)
    .fail((message, error) => {
      throw error ?? new UserError(message)
    })
    .parseAsync()
  const [first] = found
  if (first === undefined) throw new Error(`no command in ${argv.join(' ')}`)
  return first
}

/** The long names of the flags on a command line. */
function givenIn(argv: readonly string[]): Set<string> {
  const end = argv.indexOf('--')
  return new Set(
    argv.slice(0, end < 0 ? argv.length : end).flatMap((word) => {
      const [, name] = /^--(?:no-)?([A-Za-z][\w-]*)/.exec(word) ?? []
      return name === undefined ? [] : [name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)]
    }),
  )
}

/** What a suite may say where neither a flag nor the file does. */
const ofSuite: Readonly<Partial<Record<ConfiguredCommand, ReadonlySet<string>>>> = {
  bench: new Set(['model', 'timeout']),
  improve: new Set(['model', 'timeout']),
  eval: new Set(['engine', 'model', 'judge', 'timeout']),
}

interface Given {
  command: ConfiguredCommand
  argv: readonly string[]
  given: ReadonlySet<string>
}

/**
 * What a flag has already said in other words: the engines of --matrix, the model of --engine name:model, the runs of --until, who
 * drafts by init --judge.
 */
function isMoot(key: string, { command, argv, given }: Given): boolean {
  if (key === 'runs') return given.has('until')
  if (key === 'until' || key === 'max-runs') return ['runs', 'rerun', 'calibrate'].some((flag) => given.has(flag))
  if (key === 'matrix') return given.has('engine') || given.has('model')
  if (key !== 'engine' && key !== 'model') return false
  if (command === 'init' && given.has('judge')) return true
  return given.has('matrix') || (key === 'model' && /:/.test(engineIn(argv)))
}

/** What --engine says; empty: it is not given. */
function engineIn(argv: readonly string[]): string {
  const at = argv.findIndex((word) => /^--engine(=|$)/.test(word))
  return (argv[at] === '--engine' ? argv[at + 1] : argv[at]?.slice('--engine='.length)) ?? ''
}

/** Whether a flag names another engine than the file: the file's server is none of its, and must not get its key. */
function isOtherEngine(argv: readonly string[], settings: readonly Setting[]): boolean {
  const [asked, own] = [engineIn(argv), settings.find(({ key }) => key === 'engine')?.values[0] ?? '']
  return asked !== '' && own !== '' && asked.split(':')[0] !== own.split(':')[0]
}

/** Whoever wrote the skill must not choose what runs on the user's machine, or what it sees of the environment. */
function powersOf(file: string, settings: readonly Setting[], skill: string | null): FileMistake[] {
  if (skill === null || !isBelow(file, skill)) return []
  return settings.flatMap(({ key, values, line }) => {
    const isHarmless = harmlessNames.has(key) && !values.some((value) => value.includes('command:'))
    if (harmless.has(key) || isHarmless) return []
    const fix = `move ${path.basename(file)} above the skill's folder, or give such keys as flags`
    return [{ line, text: `${key}: not in a file that comes with the skill`, fix }]
  })
}
