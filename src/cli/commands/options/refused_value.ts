/** Keeps the fix of a refused flag value, since the parser passes on only the message of an error. */
import { UserError } from '../../../base/errors/error.ts'

interface Refusal {
  error: UserError
  /** Its message lacks the value; null: it names what is wrong. */
  flag: string | null
}

const refusals = new Map<string, Refusal>()

/** The error that a flag throws. */
export function refuseValue(message: string, fix: string): UserError {
  return remember({ error: new UserError(message, fix), flag: null })
}

/** For a value of the wrong form. The parser turns "three" into NaN, so `findRefusal` takes the value from the command line. */
export function refuseForm(flag: string, expected: string, fix: string): UserError {
  return remember({ error: new UserError(`--${flag}: expected ${expected}`, fix), flag })
}

function remember(refusal: Refusal): UserError {
  refusals.set(refusal.error.message, refusal)
  return refusal.error
}

/** The error thrown with this message, with the value that was given; null: none. */
export function findRefusal(message: string, argv: readonly string[]): UserError | null {
  const refusal = refusals.get(message)
  if (refusal === undefined) return null
  const given = refusal.flag === null ? null : findFlagValue(refusal.flag, argv)
  return given === null ? refusal.error : new UserError(`${message}, got "${given}"`, refusal.error.fix)
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
