/** Combines a command line with a configuration file: flags win, then the file, then the defaults. */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import yargs, { type ArgumentsCamelCase, type Argv } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { isSubpath } from '../../base/sandbox/paths_below.ts'
import { mentionsCommand } from '../../engines/table.ts'
import { choosePricesFile } from '../prices_file.ts'
import { type ConfiguredCommand, configurableSettings, harmlessKeys, harmlessNames, pathKeys } from './config_keys.ts'
import { type FileMistake, fileError } from './file_mistakes.ts'
import { findConfig } from './find_config.ts'
import type { Setting } from './read_config.ts'
import { unusedConfigLines } from './unused_configs.ts'
import { type Origin, rememberOrigins } from './value_origins.ts'

export interface ConfigureRequest<T> {
  command: ConfiguredCommand
  /** As for yargs: bench <skill..>. */
  usage: string
  options: (args: Argv) => Argv<T>
  argv: readonly string[]
  /** The result of argv alone. */
  args: ArgumentsCamelCase<T>
  /** The first folder to search, then upwards. */
  start: string
  /** Files in this folder (links resolved) came with the skill and may set less; null: all files are the user's own. */
  skill: string | null
}

export interface ConfiguredArguments<T> {
  args: ArgumentsCamelCase<T>
  /** The configuration file, absolute; null: none was found. */
  file: string | null
  origins: ReadonlyMap<string, Origin>
}

/** Throws UserError with all mistakes in the file. The file of --prices then applies to every flow of this command. */
export async function configureCommand<T>(request: ConfigureRequest<T>): Promise<ConfiguredArguments<T>> {
  const configured = await addFileSettings(request)
  choosePricesFile(configured.args.prices)
  return configured
}

async function addFileSettings<T>(request: ConfigureRequest<T>): Promise<ConfiguredArguments<T>> {
  const { argv, command } = request
  const given = listGivenFlags(argv)
  const flags = Object.keys(configurableSettings(command))
  const usual = (key: string): Origin => ({ kind: suiteSettings[command]?.has(key) ? 'suite' : 'default' })
  const origins = new Map<string, Origin>(flags.map((key) => [key, given.has(key) ? { kind: 'flag' } : usual(key)]))
  const file = await findConfig(request.start, process.env.HOME)
  const unused = await unusedConfigLines({ start: request.start, home: process.env.HOME, used: file })
  for (const line of unused) process.stderr.write(`${line}\n`)
  if (file === null) return { args: request.args, file, origins }
  const { readConfigFile } = await import('./read_config.ts')
  const { settings, mistakes } = await readConfigFile(file, command)
  const isOthers = isOtherEngine(argv, settings)
  const isLeft = (key: string) => isMoot(key, { command, argv, given }) || (key === 'base-url' && isOthers)
  const used = settings.filter(({ key }) => !given.has(key) && !isLeft(key))
  const powers = findForbiddenSettings(file, settings, request.skill)
  const may = used.filter(({ line }) => !powers.some((one) => one.line === line))
  const all = [...mistakes, ...powers, ...(await findSettingMistakes(may, command))]
  if (all.length > 0) throw fileError(file, all, command)
  for (const { key, line } of used) origins.set(key, { kind: 'file', file, line })
  rememberOrigins(origins)
  if (used.length === 0) return { args: request.args, file, origins }
  return { args: await parseCommandLine(request, used.flatMap(settingWords)), file, origins }
}

/** Mistakes in values that this command does not accept, and those that the flags' own parsers report. */
async function findSettingMistakes(used: readonly Setting[], command: ConfiguredCommand): Promise<FileMistake[]> {
  const { findRefusedValues } = await import('./check_values.ts')
  const own = used.flatMap(({ key, line, mistake }) => {
    const fix = `give --${key}, or put one into the section ${command} of the file`
    return mistake === null ? [] : [{ line, text: `${key}: ${mistake}`, fix }]
  })
  const others = used.filter(({ mistake }) => mistake === null)
  return [...own, ...(await findRefusedValues(command, others))]
}

function settingWords({ key, values }: Setting): string[] {
  return values.map((value) => `--${key}=${value}`)
}

/** The arguments of a command line, with more words before any `--`. */
export async function parseCommandLine<T>(
  { usage, options, argv }: Pick<ConfigureRequest<T>, 'usage' | 'options' | 'argv'>,
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
function listGivenFlags(argv: readonly string[]): Set<string> {
  const end = argv.indexOf('--')
  return new Set(
    argv.slice(0, end < 0 ? argv.length : end).flatMap((word) => {
      const [, name] = /^--(?:no-)?([A-Za-z][\w-]*)/.exec(word) ?? []
      return name === undefined ? [] : [name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)]
    }),
  )
}

/** Settings of a suite that apply if neither a flag nor the file sets them. */
const suiteSettings: Readonly<Partial<Record<ConfiguredCommand, ReadonlySet<string>>>> = {
  bench: new Set(['model', 'timeout']),
  improve: new Set(['model', 'timeout']),
  prune: new Set(['model', 'timeout']),
  watch: new Set(['model', 'timeout']),
  eval: new Set(['engine', 'model', 'judge', 'timeout']),
}

interface GivenFlags {
  command: ConfiguredCommand
  argv: readonly string[]
  given: ReadonlySet<string>
}

/**
 * Settings that another flag already covers: the engines of --matrix, the model of --engine name:model, the runs of --until, the drafting
 * model of init --judge.
 */
function isMoot(key: string, { command, argv, given }: GivenFlags): boolean {
  if (command === 'triggers' && given.has('all') && settingsOfOneSkill.has(key)) return true
  if (key === 'runs') return given.has('until')
  if (key === 'until' || key === 'max-runs') return ['runs', 'rerun', 'calibrate'].some((flag) => given.has(flag))
  if (key === 'matrix') return given.has('engine') || given.has('model')
  if (key !== 'engine' && key !== 'model') return false
  if (command === 'init' && given.has('judge')) return true
  return given.has('matrix') || (key === 'model' && /:/.test(findGivenEngine(argv)))
}

/** They are about the queries of one skill, and do not apply to triggers --all. */
const settingsOfOneSkill: ReadonlySet<string> = new Set(['gate', 'fail-on', 'reporter', 'threshold'])

/** The value of --engine; empty: not given. */
function findGivenEngine(argv: readonly string[]): string {
  const at = argv.findIndex((word) => /^--engine(=|$)/.test(word))
  return (argv[at] === '--engine' ? argv[at + 1] : argv[at]?.slice('--engine='.length)) ?? ''
}

/** Whether a flag names another engine than the file: that engine must not use the file's server, which would get its key. */
function isOtherEngine(argv: readonly string[], settings: readonly Setting[]): boolean {
  const [asked, own] = [findGivenEngine(argv), settings.find(({ key }) => key === 'engine')?.values[0] ?? '']
  return asked !== '' && own !== '' && asked.split(':')[0] !== own.split(':')[0]
}

/** The skill's author must not choose what runs on the user's machine, which variables it sees, or where it reads and writes. */
function findForbiddenSettings(file: string, settings: readonly Setting[], skill: string | null): FileMistake[] {
  if (skill === null || !isSubpath(file, skill)) return []
  return settings.flatMap(({ key, values, line }) => {
    const isHarmless = harmlessNames.has(key) && !values.some(mentionsCommand)
    const fix = `move ${path.basename(file)} above the skill's folder, or give such keys as flags`
    if (!harmlessKeys.has(key) && !isHarmless) {
      return [{ line, text: `${key}: not allowed in a configuration file that comes with the skill`, fix }]
    }
    const outside =
      pathKeys.has(key) && values.some((value) => path.isAbsolute(value) && !isSubpath(real(value), skill))
    return outside ? [{ line, text: `${key}: leads out of ${skill}, the folder that the file comes with`, fix }] : []
  })
}

/** The path with links resolved, as far as it exists. */
function real(place: string): string {
  try {
    return realpathSync(place)
  } catch {
    const above = path.dirname(place)
    return above === place ? place : path.join(real(above), path.basename(place))
  }
}
