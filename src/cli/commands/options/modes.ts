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
  /** Returns the exit code. `parsed`: with the settings of a configuration file. `typed`: without. */
  start(parsed: never, typed: never): Promise<number>
}

const modes = new Map<string, Map<string, CommandMode>>()

/** By command, each with its features' modes; again changes nothing. */
export function addModes(more: Readonly<Record<string, CommandMode>>): void {
  for (const [command, mode] of Object.entries(more))
    modes.set(command, new Map([...(modes.get(command) ?? []), [mode.flag, mode]]))
}

function listModes(command: string): CommandMode[] {
  return [...(modes.get(command)?.values() ?? [])]
}

/** Of a command; {}: it has no mode. */
export function modeFlags(command: string): Flags {
  return Object.assign({}, ...listModes(command).map(({ flags }) => flags))
}

/** ", or --all FOLDER" for a message on what a command needs; "" without a mode. */
export function orMode(command: string): string {
  return listModes(command)
    .map(({ add }) => `, or ${add}`)
    .join('')
}

export function describeCommand<T>(args: Argv<T>, command: string, text: string): Argv<T> {
  return args.usage([text, ...listModes(command).flatMap(({ about }) => about ?? [])].join('\n\n'))
}

/** The modes' flags, and their examples after those of the command. */
export function addModeOptions<T>(args: Argv<T>, command: string): Argv<T> {
  const examples = listModes(command).flatMap((mode) => mode.examples)
  return examples.reduce((all, [line, what]) => all.example(line, what), args.options(modeFlags(command)) as Argv<T>)
}

/** The chosen mode with its flag's value; null: the command itself. Throws UserError for two, and for a flag that goes with a mode only. */
export function chooseMode(
  command: string,
  typed: Readonly<Record<string, unknown>>,
  argv: readonly string[],
): { mode: CommandMode; value: unknown } | null {
  const all = listModes(command)
  const [mode, other] = all.filter(({ flag }) => isChosen(typed[flag]))
  if (other !== undefined) throw new UserError(`--${mode?.flag} with --${other.flag}`, 'use one of them')
  if (mode !== undefined) return { mode, value: typed[mode.flag] }
  for (const { flag: own, flags, add } of all) {
    const unread = Object.keys(flags).filter((flag) => flag !== own && argv.some((one) => isFlag(one, flag)))
    if (unread.length === 0) continue
    const names = `--${unread.join(', --')}`
    throw new UserError(`${names} without --${own}`, `add ${add}, or remove ${names}`)
  }
  return null
}

function isChosen(value: unknown): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined && value !== false
}

export function isFlag(word: string, flag: string): boolean {
  return word === `--${flag}` || word.startsWith(`--${flag}=`)
}
