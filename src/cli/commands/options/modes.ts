/** Further ways to start a command, which features add: a flag chooses one, and its other flags go with that flag only. */
import type { Argv } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'
import type { Flags } from './flag.ts'

export interface CommandMode {
  /** Chooses it, without --. */
  flag: string
  /** The flag as a user adds it, such as `--all FOLDER`. */
  add: string
  /** Those that the command does not have itself, `flag` included. */
  flags: Flags
  /** The last paragraph of the command's help; absent: none. */
  about?: string
  /** Command and description. */
  examples: readonly (readonly [string, string])[]
  /** What to use instead, by a flag that needs the mode. */
  instead?: Readonly<Record<string, string>>
  /** Returns the exit code. `parsed`: with the settings of a configuration file. `typed`: without. */
  start(parsed: never, typed: never): Promise<number>
}

const modes = new Map<string, CommandMode>()

/** By command; again changes nothing. */
export function addModes(more: Readonly<Record<string, CommandMode>>): void {
  for (const [command, mode] of Object.entries(more)) modes.set(command, mode)
}

/** Of a command; {}: it has no mode. */
export function modeFlags(command: string): Flags {
  return modes.get(command)?.flags ?? {}
}

/** ", or --all FOLDER" for a message on what a command needs; "" without a mode. */
export function orMode(command: string): string {
  const mode = modes.get(command)
  return mode === undefined ? '' : `, or ${mode.add}`
}

/** The command's help with that of its mode. */
export function describeCommand<T>(args: Argv<T>, command: string, text: string): Argv<T> {
  const { about } = modes.get(command) ?? {}
  return args.usage(about === undefined ? text : `${text}\n\n${about}`)
}

/** The mode's flags, and its examples after those of the command. */
export function addModeOptions<T>(args: Argv<T>, command: string): Argv<T> {
  const { flags = {}, examples = [] } = modes.get(command) ?? {}
  return examples.reduce((all, [line, what]) => all.example(line, what), args.options(flags) as Argv<T>)
}

/** The chosen mode with its flag's value; null: the command itself. Throws UserError for a flag that goes with a mode only. */
export function chooseMode(
  command: string,
  typed: Readonly<Record<string, unknown>>,
  argv: readonly string[],
): { mode: CommandMode; value: unknown } | null {
  const mode = modes.get(command)
  if (mode === undefined) return null
  const value = typed[mode.flag]
  if (Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false) return { mode, value }
  const unread = Object.keys(mode.flags).filter((flag) => flag !== mode.flag && argv.some((one) => isFlag(one, flag)))
  if (unread.length === 0) return null
  const instead = unread.flatMap((flag) => mode.instead?.[flag] ?? [])
  const fix = [`add ${mode.add}, or remove --${unread.join(', --')}`, ...instead].join('; ')
  throw new UserError(`--${unread.join(', --')} without --${mode.flag}`, fix)
}

/** Whether a word of a command line is this flag. */
export function isFlag(word: string, flag: string): boolean {
  return word === `--${flag}` || word.startsWith(`--${flag}=`)
}
