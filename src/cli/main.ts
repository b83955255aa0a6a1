/** Parses argv and runs the command; the one place that turns errors into messages and exit codes. */
import { existsSync } from 'node:fs'
import yargs, { type Argv } from 'yargs'
import { errnoCode, UserError, WaitOverError } from '../base/errors/error.ts'
import { clearOwnTempDirs } from '../base/fs/temp_dir.ts'
import { typedCommand } from '../base/package_root.ts'
import { endGroups } from '../base/process/spawn.ts'
import { findNearest } from '../base/text/did_you_mean.ts'
import { addFeatures, featureCommands } from '../features/table.ts'
import { dropLeases } from '../store/lease/lease.ts'
import type { AddCommand } from './commands/options/run_flow.ts'
import { forgetUnusedConfigs } from './config/find_config.ts'
import { forgetOrigins, withPlace } from './config/value_origins.ts'
import { exitCodes, exitHelp } from './exit_codes.ts'
import { adaptText, advancedGroup, commandGroups, commandNames, docsAddress } from './help/installed_text.ts'
import { choosePricesFile } from './prices_file.ts'
import { sayError } from './print_error.ts'
import { resumeCommand } from './resume_command.ts'
import { chooseResumeWay } from './terminal/interrupt.ts'
import { watchOutput } from './terminal/lost_output.ts'
import { alignColumns, colours, terminalWidth } from './terminal/style.ts'
import { checkValues, checkWords, type KnownOptions, toUsageError } from './usage_errors.ts'

/** Returns the exit code; never throws. */
export async function main(given: readonly string[]): Promise<number> {
  const argv = readEvalDiff(given)
  const outcome: { code: number } = { code: exitCodes.done }
  const isOutputLost = watchOutput()
  using _ = handleUncaught((error) => report(error, argv))
  addFeatures()
  forgetOrigins()
  forgetUnusedConfigs()
  choosePricesFile(null)
  try {
    const help = asksForRootHelp(argv) ? rootHelp : helpPages[argv.join(' ')]
    if (help !== undefined) {
      process.stdout.write(`${await help()}\n`)
      return isOutputLost() ? exitCodes.incomplete : exitCodes.done
    }
    assertCommand(argv)
    assertWorkingFolder()
    await parser(argv, await loadCommands(commandWord(argv)), (code) => {
      outcome.code = code
    }).parseAsync()
    return outcome.code === exitCodes.done && isOutputLost() ? exitCodes.incomplete : outcome.code
  } catch (error) {
    return report(withPlace(error), argv)
  }
}

/** `eval diff a b`, as AAM's documents write it, is `diff a b`, unless there is a file or folder named diff. */
export function readEvalDiff(argv: readonly string[]): readonly string[] {
  const isDiff = argv[0] === 'eval' && argv[1] === 'diff' && !existsSync('diff')
  return isDiff ? argv.slice(1) : argv
}

/** Throws UserError if the working directory has been deleted. */
function assertWorkingFolder(): void {
  try {
    process.cwd()
  } catch (error) {
    if (errnoCode(error) !== 'ENOENT') throw error
    throw new UserError('the current folder no longer exists', 'change to a folder that exists')
  }
}

/** Of yargs, not in its types. */
interface Internals {
  getOptions(): KnownOptions
  getGroups(): Readonly<Record<string, readonly string[]>>
  getInternalMethods(): {
    getUsageInstance(): {
      help(): string
      cacheHelpMessage(): void
      example(command: string, description: string): void
    }
  }
}

function parser(argv: readonly string[], commands: readonly AddCommand[], done: (code: number) => void) {
  const program = yargs(toHelpFlag(argv)).scriptName('whetstone').detectLocale(false) as Argv & Internals
  adaptHelp(program)
  return commands
    .reduce((args, add) => add(args, done, argv), program as Argv)
    .demandCommand(1, 'no command')
    .strict()
    .middleware(() => checkWords(argv, program.getOptions()), true) // before flags parse their values
    .check((parsed) => checkValues(parsed, program.getOptions(), program.getGroups()['Positionals:'] ?? []))
    .version(false)
    .option('version', { type: 'boolean', describe: 'print the version' })
    .help()
    .alias('help', 'h')
    .wrap(Math.min(90, terminalWidth(process.stdout)))
    .epilogue(exitHelp)
    .exitProcess(false)
    .fail((message, error) => {
      if (error && error.name !== 'YError') throw error
      throw toUsageError(error?.message ?? message, argv, Object.keys(program.getOptions().key))
    })
}

/** Prints an example on a line of its own, so that it can be copied, and commands and pages as the user can type and open them. */
function adaptHelp(program: Internals): void {
  const usage = program.getInternalMethods().getUsageInstance()
  const { help, example } = usage
  usage.help = () => adaptText(help())
  usage.example = (command, description) => example(`# ${description}\n${command}`, '')
  usage.cacheHelpMessage = () => {} // it renders the help again when a handler starts: a fifth of the time of a dry run
}

/** No arguments, --help or help alone. */
function asksForRootHelp(argv: readonly string[]): boolean {
  const [first, ...more] = argv
  return first === undefined || (more.length === 0 && ['--help', '-h', '--help-all', 'help'].includes(first))
}

/** `help bench` and `bench --help-all` as the parser reads them. */
function toHelpFlag(argv: readonly string[]): string[] {
  const words = argv[0] === 'help' ? [...argv.slice(1), '--help'] : [...argv]
  return words.map((word) => (word === '--help-all' ? '--help' : word))
}

function commandWord(argv: readonly string[]): string | undefined {
  return argv[0] === 'help' ? argv[1] : argv[0]
}

/** Throws UserError for a word that is not a command, with the command that was probably meant. */
function assertCommand(argv: readonly string[]): void {
  const word = commandWord(argv)
  if (word === undefined || word.startsWith('-') || commandNames.includes(word)) return
  const instead = retiredCommands[word]
  if (instead !== undefined) throw new UserError(`there is no command "${word}" any more`, instead)
  const near = findNearCommand(word)
  const isPlace = near === null && (word.includes('/') || existsSync(word))
  const hint = isPlace
    ? `to benchmark a skill: whetstone bench ${word}`
    : near === null
      ? 'see whetstone --help'
      : `did you mean "${near}"?`
  throw new UserError(`unknown command "${word}"`, hint)
}

function isFlagSet(flag: string, argv: readonly string[]): boolean {
  return argv.includes(`--${flag}`) || argv.includes(`--${flag}=true`)
}

function report(error: unknown, argv: readonly string[]): number {
  const resume = error instanceof WaitOverError ? resumeCommand(argv) : null
  const how = { json: isFlagSet('json', argv), goesOn: chooseResumeWay(isFlagSet('fresh', argv)), resume }
  const code = sayError(error, how)
  if (code === exitCodes.bug && error instanceof Error) {
    const { dim } = colours(process.stderr)
    process.stderr.write(`${dim(error.stack ?? '')}\nThis is a bug in Whetstone. Finished runs are kept on disk.\n`)
  }
  return code
}

/** Active until disposed of; `report` prints the error and returns the exit code. */
function handleUncaught(report: (error: unknown) => number): Disposable {
  let isEnding = false
  const onError = (error: unknown) => {
    if (isEnding) return // interrupted work may throw again
    isEnding = true
    letGo()
    let code: number = exitCodes.bug
    try {
      code = report(error)
    } finally {
      process.exit(code)
    }
  }
  process.on('uncaughtException', onError) // covers promises too: Node turns an unhandled rejection into an exception
  return { [Symbol.dispose]: () => void process.off('uncaughtException', onError) }
}

/** Synchronous, so that nothing else runs in between. */
function letGo(): void {
  for (const end of [endGroups, clearOwnTempDirs, dropLeases]) {
    try {
      end()
    } catch {} // the next one may succeed
  }
}

/** Beside the help of each command: the commands that few need, and the settings. */
const helpPages: Readonly<Record<string, () => string | Promise<string>>> = {
  'help advanced': () => describeGroups((title) => title === advancedGroup).join('\n\n'),
  'help settings': async () => (await import('./help/option_groups.ts')).settingsHelp(),
}

function describeGroups(isShown: (title: string) => boolean): string[] {
  const groups = Object.entries(commandGroups).filter(([title]) => isShown(title))
  const all = groups.flatMap(([, group]) =>
    Object.entries(group).map(([name, [args, summary]]) => [`  ${name} ${args}`.trimEnd(), summary]),
  )
  const lines = alignColumns(all)
  return groups.map(([title, group]) => [`${title}:`, ...lines.splice(0, Object.keys(group).length)].join('\n'))
}

function rootHelp(): string {
  const sections = describeGroups((title) => title !== advancedGroup)
  return [
    'Benchmark agent skills: does a skill help, and how can you improve it?',
    `${typedCommand()} <command> [options]`,
    ...sections,
    `More commands: ${typedCommand()} help advanced. Settings: ${typedCommand()} help settings`,
    'Options:\n  -h, --help      Show help; after a command: that of the command\n      --help-all  With a command: show all of its options\n      --version   Show the version',
    exitHelp,
    `Documentation:\n  ${docsAddress()}/docs/README.md`,
    `New here? \`${typedCommand()} demo\` runs a whole benchmark offline, no key needed.`,
  ].join('\n\n')
}

/** The command that a mistyped word may be; null: none is near. */
function findNearCommand(word: string): string | null {
  return findNearest(word, commandNames, 1)[0] ?? null
}

const commands: Record<string, () => Promise<AddCommand>> = {
  bench: async () => (await import('./commands/bench/command.ts')).addBench,
  eval: async () => (await import('./commands/eval/command.ts')).addEval,
  grade: async () => (await import('./commands/grade/command.ts')).addGrade,
  aggregate: async () => (await import('./commands/aggregate/command.ts')).addAggregate,
  init: async () => (await import('./commands/init/command.ts')).addInit,
  improve: async () => (await import('./commands/improve/command.ts')).addImprove,
  view: async () => (await import('./commands/view/command.ts')).addView,
}

for (const [name, { load }] of Object.entries(featureCommands)) commands[name] = load

/** What does the work of a command that is gone. */
const retiredCommands: Readonly<Record<string, string>> = {
  analyze: 'whetstone compare <benchmark> --analyze does the same',
  mine: 'whetstone init <skill> --from-sessions <folder> drafts cases and trigger queries from recorded sessions',
  cache: 'whetstone clean shows what caches keep; whetstone clean --cache --older-than 30d --yes removes from them',
}

/** The command of this name alone; all of them if no command has it, as when the line begins with an option. */
async function loadCommands(name: string | undefined): Promise<AddCommand[]> {
  const named = name === undefined ? undefined : commands[name]
  return await Promise.all((named === undefined ? Object.values(commands) : [named]).map((load) => load()))
}
