/** What a flag is: the parser's record, its section in the help, and whether a configuration file may set it; with parts that many flags share. */
import type { Options } from 'yargs'
import { UserError } from '../../../base/errors/error.ts'

/** Sections of a large command's help, in order. */
export const sections = ['Sessions', 'Common', 'Limits', 'Sandbox', 'Output and CI', 'Cache and resume'] as const

/** Shown with --help-all only. */
export const rareSections = ['Planning', 'Many machines'] as const

export type Flag = Options & {
  /** Absent: large commands show the flag with --help-all only, and a setting of the file by its name only. */
  section?: (typeof sections)[number] | (typeof rareSections)[number] | undefined
  /** A setting of a configuration file, and what it can widen there; absent: a flag for a single start, which no file sets. */
  trust?: TrustClass | undefined
  /** How --print-config and questions show a value that may contain a secret; absent: as it is. */
  shown?: (value: string) => string
  /** One value for all skills of a command. */
  forAll?: true
}

export type Flags = Readonly<Record<string, Flag>>

/** Whether it is rather kept in a configuration file than typed: `help settings` describes these, and the help of a command only names them. */
export const isSetting = ({ section, trust }: Flag): boolean => section === undefined && trust !== undefined

/** What a setting can widen. A repository brings its configuration file, so what widens counts only once the user confirmed it. */
export type TrustClass = (
  | { kind: 'free' }
  | { kind: 'name' }
  | { kind: 'path' }
  | { kind: 'limit'; effect: string }
  | { kind: 'level'; levels: readonly string[]; effect: string }
  | { kind: 'power'; effect: string }
) & { isPath?: true }

/** Shapes the benchmark. */
export const free: TrustClass = { kind: 'free' }
/** Names an engine or a model: widens if it names a program, an address or a cloud. */
export const modelName: TrustClass = { kind: 'name' }
/** A path, relative to the file: widens outside of the file's folder. */
export const insidePath: TrustClass = { kind: 'path', isPath: true }
/** Widens above the value of the user's own file, else above the default. */
export const limit = (effect: string): TrustClass => ({ kind: 'limit', effect })
/** As `limit`, for words in this order. */
export const level = (effect: string, ...levels: string[]): TrustClass => ({ kind: 'level', levels, effect })
/** Widens what runs, what is reachable, what is spent or who gets a key. */
export const power = (effect: string): TrustClass => ({ kind: 'power', effect })
export const powerPath = (effect: string): TrustClass => ({ kind: 'power', effect, isPath: true })

export const text = { type: 'string', requiresArg: true } as const
export const number = { type: 'number', requiresArg: true } as const
export const onOff = { type: 'boolean', default: false } as const
export const list = { type: 'string', array: true, nargs: 1, default: [] as string[] } as const

/** A number that the test accepts; the UserError names the flag. */
export function numeric(flag: string, isValid: (value: number) => boolean, expected: string, example: string | number) {
  const coerce = (value: unknown): number => {
    if (typeof value === 'number' && isValid(value)) return value
    throw refuseValue(`--${flag}: expected ${expected}`, `use a number such as --${flag} ${example}`)
  }
  return { ...number, coerce }
}

export function whole(flag: string, least: number, most: number) {
  const isValid = (value: number) => Number.isInteger(value) && value >= least && value <= most
  return numeric(flag, isValid, `a whole number from ${least} to ${most}`, Math.min(most, Math.max(least, 3)))
}

export function seconds(flag: string) {
  const isValid = (value: number) => value > 0 && value <= 604_800
  return numeric(flag, isValid, 'seconds above 0, at most 604800 (a week)', 300)
}

/** Points or per cent, as a share of 1. */
export function percentage(flag: string, unit: 'points' | 'per cent', least: number, most: number) {
  const isValid = (value: number) => value >= least && value <= most
  const { coerce } = numeric(flag, isValid, `${unit} from ${least} to ${most}`, 20)
  return { ...number, coerce: (value: unknown): number => coerce(value) / 100 }
}

const fixes = new Map<string, string>()

/** The error that a flag throws. The parser passes on only its message, so its fix is remembered. */
export function refuseValue(message: string, fix: string): UserError {
  fixes.set(message, fix)
  return new UserError(message, fix)
}

/** The error thrown with this message, with the value as given: the parser turns "three" into NaN. null: no flag's. */
export function findRefusal(message: string, argv: readonly string[]): UserError | null {
  const fix = fixes.get(message)
  if (fix === undefined) return null
  const [, flag] = /^--([\w-]+): expected /.exec(message) ?? []
  const value = flag === undefined ? null : findFlagValue(flag, argv)
  return new UserError(value === null ? message : `${message}, got "${value}"`, fix)
}

/** The last value of a flag on a command line: `--runs=3`, `--runs 3` or `--maxTurns 3`; null: it has none. */
function findFlagValue(flag: string, argv: readonly string[]): string | null {
  const names = [`--${flag}`, `--${flag.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}`]
  const values = argv.flatMap((word, index) => {
    if (names.includes(word)) return argv[index + 1] ?? []
    const name = names.find((one) => word.startsWith(`${one}=`))
    return name === undefined ? [] : word.slice(name.length + 1)
  })
  return values.at(-1) ?? null
}
