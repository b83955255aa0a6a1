/** Builds the command that resumes this one, ready to paste into a shell. */
import type { Benchmark } from '../../schemas/benchmark.ts'
import type { StopKind } from '../../schemas/limits.ts'
import { typedCommand } from '../base/typed_command.ts'

/** Stops after which the same command would stop at once: the user must raise a limit first. */
const needsLimit: ReadonlySet<StopKind> = new Set(['budget', 'budget_tokens', 'unreported_cost'])

interface CommandEnd {
  interrupted: boolean
  /** The same command executes missing runs and gradings. */
  makesMissing?: boolean
}

/** The command that completes these benchmarks; null if repeating it would not help. */
export function findResumeCommand(benchmarks: readonly Benchmark[], { interrupted, makesMissing = false }: CommandEnd) {
  const goesOn = ({ complete, counts, metadata: { stopped } }: Benchmark) =>
    stopped?.kind === 'max_wait' ||
    (makesMissing && complete === false && (counts?.planned ?? 0) > 0 && !(stopped && needsLimit.has(stopped.kind)))
  return !interrupted && benchmarks.some(goesOn) ? resumeCommand(process.argv.slice(2)) : null
}

/** `argv`: of this command. Omits --fresh, which would start again, and passwords in addresses. */
export function resumeCommand(argv: readonly string[]): string {
  const kept = argv.filter((word) => !/^--fresh(=true)?$/.test(word))
  const needsFlag = kept[0] === 'improve' && !kept.some((word) => /^--resume(=true)?$/.test(word))
  const words = [...kept, ...(needsFlag ? ['--resume'] : [])].map(withoutPassword).map(quoteWord)
  return [typedCommand(), ...words].join(' ')
}

/** `redis://user:secret@host` as `redis://user:***@host`. */
function withoutPassword(word: string): string {
  return word.replace(/(:\/\/[^:@/\s]*):[^@/\s]+@/, '$1:***@')
}

/** A word of a command, ready to paste into a shell. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
