/** Combines a command line with configuration files: flags win, then the repository's file, then the user's own, then the defaults. */
import yargs, { type ArgumentsCamelCase, type Argv } from 'yargs'
import { UserError } from '../../base/errors/error.ts'
import { featureCommands } from '../../features/table.ts'
import { choosePricesFile } from '../prices_file.ts'
import { askYesNo, canAnswer } from '../terminal/question.ts'
import { configurableSettings } from './config_keys.ts'
import { findConfigs, unusedConfigLines } from './find_config.ts'
import { type FileMistake, fileError, type ReadConfig, type Setting } from './read_config.ts'
import { type Origin, rememberOrigins } from './value_origins.ts'

export interface ConfigureRequest<T> {
  command: string
  /** As for yargs: bench <skill..>. */
  usage: string
  options: (args: Argv) => Argv<T>
  argv: readonly string[]
  /** The result of argv alone. */
  args: ArgumentsCamelCase<T>
  /** The first folder to search, then upwards. */
  start: string
  /** How a person confirms settings elsewhere; absent: on this terminal, if there is one. */
  confirmElsewhere?: string
}

export interface ConfiguredArguments<T> {
  args: ArgumentsCamelCase<T>
  /** The repository's configuration file, absolute; null: none was found. */
  file: string | null
  /** The user's own. */
  own: string | null
  origins: ReadonlyMap<string, Origin>
}

/** Throws UserError with all mistakes in a file. The file of --prices then applies to every flow of this command. */
export async function configureCommand<T>(request: ConfigureRequest<T>): Promise<ConfiguredArguments<T>> {
  const configured = await addFileSettings(request)
  choosePricesFile(configured.args.prices)
  return configured
}

interface Words<T> extends Pick<ConfigureRequest<T>, 'command' | 'usage' | 'options' | 'argv'> {
  /** The first folder to search for a configuration file. */
  locate: (args: ArgumentsCamelCase<T>) => Promise<string>
}

export async function readConfiguredWords<T>({ locate, ...words }: Words<T>): Promise<ArgumentsCamelCase<T>> {
  const args = await parseCommandLine(words, [])
  const confirmElsewhere =
    'a person can confirm them once: start whetstone bench <skill> --dry-run in a terminal (improve or compare for their own sections)'
  return (await configureCommand({ ...words, args, start: await locate(args), confirmElsewhere })).args
}

async function addFileSettings<T>(request: ConfigureRequest<T>): Promise<ConfiguredArguments<T>> {
  const { argv, command, args } = request
  const given: GivenSettings = { command, keys: listGivenFlags(argv), engine: findGivenEngine(argv) }
  const usual = (key: string): Origin => ({ kind: suiteSettings[command]?.has(key) ? 'suite' : 'default' })
  const origins = new Map<string, Origin>(
    Object.keys(configurableSettings(command)).map((key) => [key, given.keys.has(key) ? { kind: 'flag' } : usual(key)]),
  )
  const { file, own } = await findConfigs(request.start, process.env)
  const files = [file, own].filter((one) => one !== null)
  const unused = await unusedConfigLines({ start: request.start, home: process.env.HOME, used: files })
  for (const line of unused) process.stderr.write(`${line}\n`)
  if (files.length === 0) return { args, file, own, origins }
  const { readConfigFile } = await import('./read_config.ts')
  const read = async (one: string | null) => (one === null ? none : await readConfigFile(one, command))
  const [ofRepository, ofUser] = [await read(file), await read(own)]
  const used = await listUsedSettings(file, ofRepository, given)
  const rest = await listUsedSettings(own, ofUser, withSettings(given, used))
  const unconfirmed = file === null ? [] : await authorizeSettings({ file, used, own: ofUser.settings }, request)
  for (const { key, line } of rest) if (own !== null) origins.set(key, { kind: 'file', file: own, line })
  for (const { key, line } of used) {
    const isOpen = unconfirmed.some((one) => one.key === key)
    if (file !== null) origins.set(key, { kind: 'file', file, line, ...(isOpen && { unconfirmed: true }) })
  }
  rememberOrigins(origins)
  const all = [...used, ...rest]
  if (all.length === 0) return { args, file, own, origins }
  const words = all.flatMap(({ key, values }) => values.map((value) => `--${key}=${value}`))
  return { args: await parseCommandLine(request, words), file, own, origins }
}

const none: ReadConfig = { settings: [], mistakes: [] }

/** The settings of a file that nothing before it overrides. Throws UserError with all mistakes in them. */
async function listUsedSettings(
  file: string | null,
  { settings, mistakes }: ReadConfig,
  given: GivenSettings,
): Promise<Setting[]> {
  if (file === null) return []
  const isOthers = isOtherEngine(given, settings)
  const isLeft = (key: string) => isMoot(key, given) || (key === 'base-url' && isOthers)
  const used = settings.filter(({ key }) => !given.keys.has(key) && !isLeft(key))
  const all = [...mistakes, ...(await findSettingMistakes(used, given.command))]
  if (all.length > 0) throw fileError(file, all, given.command)
  return used
}

/** What the user has not confirmed, with --print-config. Else asks, and throws UserError unless all of it is confirmed. */
async function authorizeSettings<T>(
  { file, used, own }: { file: string; used: readonly Setting[]; own: readonly Setting[] },
  { command, args, confirmElsewhere }: ConfigureRequest<T>,
): Promise<readonly { key: string }[]> {
  if (args.trustConfig === true) return []
  const { confirmSettings, listUnconfirmed } = await import('./confirm_settings.ts')
  const commit = typeof args.trustConfigAt === 'string' ? args.trustConfigAt : null
  const context = { file, command, commit, env: process.env, flags: configurableSettings(command) }
  const values = new Map(own.map((one) => [one.key, one.values]))
  const open = await listUnconfirmed(used, { ...context, own: values })
  if (args.printConfig === true) return open
  const isAsked = confirmElsewhere === undefined && canAnswer({ json: args.json === true, yes: false })
  const ask = isAsked ? (question: string) => askYesNo(question, 'nothing was started') : null
  await confirmSettings(open, { ...context, fix: confirmElsewhere }, ask)
  return []
}

/** Mistakes in values that this command does not accept, and those that the flags' own parsers report. */
async function findSettingMistakes(used: readonly Setting[], command: string): Promise<FileMistake[]> {
  const { findRefusedValues } = await import('./check_values.ts')
  const own = used.flatMap(({ key, line, mistake }) => {
    const fix = `give --${key}, or put one into the section ${command} of the file`
    return mistake === null ? [] : [{ line, text: `${key}: ${mistake}`, fix }]
  })
  const others = used.filter(({ mistake }) => mistake === null)
  return [...own, ...(await findRefusedValues(command, others))]
}

/** The arguments of a command line, with more words before any `--`. */
async function parseCommandLine<T>(
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
const suiteSettings: Readonly<Record<string, ReadonlySet<string>>> = {
  bench: new Set(['model', 'timeout']),
  improve: new Set(['model', 'timeout']),
  prune: new Set(['model', 'timeout']),
  watch: new Set(['model', 'timeout']),
  eval: new Set(['engine', 'model', 'judge', 'timeout']),
}

/** What flags and files set before a file counts. */
interface GivenSettings {
  command: string
  keys: ReadonlySet<string>
  /** The value of --engine; empty: not given. */
  engine: string
}

function withSettings({ command, keys, engine }: GivenSettings, more: readonly Setting[]): GivenSettings {
  const named = more.find(({ key }) => key === 'engine')?.values[0] ?? ''
  return { command, keys: new Set([...keys, ...more.map(({ key }) => key)]), engine: engine || named }
}

/**
 * Settings that another one already covers: the engines of --matrix, the model of --engine name:model, the runs of --until, the drafting
 * model of init --judge.
 */
function isMoot(key: string, { command, keys: given, engine }: GivenSettings): boolean {
  if (featureCommands[command]?.moot?.some(({ flag, keys }) => given.has(flag) && keys.includes(key))) return true
  if (key === 'runs') return given.has('until')
  if (key === 'until' || key === 'max-runs') return ['runs', 'rerun', 'calibrate'].some((flag) => given.has(flag))
  if (key === 'matrix') return given.has('engine') || given.has('model')
  if (key !== 'engine' && key !== 'model') return false
  if (command === 'init' && given.has('judge')) return true
  return given.has('matrix') || (key === 'model' && engine.includes(':'))
}

function findGivenEngine(argv: readonly string[]): string {
  const at = argv.findIndex((word) => /^--engine(=|$)/.test(word))
  return (argv[at] === '--engine' ? argv[at + 1] : argv[at]?.slice('--engine='.length)) ?? ''
}

/** Whether another engine is given than the file names: it must not use the file's server, which would get its key. */
function isOtherEngine({ engine: asked }: GivenSettings, settings: readonly Setting[]): boolean {
  const own = settings.find(({ key }) => key === 'engine')?.values[0] ?? ''
  return asked !== '' && own !== '' && asked.split(':')[0] !== own.split(':')[0]
}
