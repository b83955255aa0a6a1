/** Builds the command that resumes this one, ready to paste into a shell. */
import type { Benchmark, ExcludedRun } from '../../schemas/benchmark.ts'
import type { StopKind } from '../../schemas/limits.ts'
import { quoteWord, typedCommand } from '../base/package_root.ts'
import { countUndecided } from '../phases/4-report/benchmark/incomplete.ts'

/** Whether the same bench does something about a run that is not in the rates: it performs the run, or asks its judge again. */
const isTriedAgain: Record<ExcludedRun['reason'], boolean> = {
  failed: true,
  cancelled: true,
  missing: true,
  judge_error: true,
  // an outcome of the agent, which a repetition would choose
  timed_out: false,
  // by the suite: it must be changed first
  ungraded: false,
  cannot_run: false,
  quarantined: false,
}

/** Whether the same bench goes on after such a stop. After a limit on spending it would stop at once: the user must raise it first. */
const endsByItself: Record<StopKind, boolean> = {
  deadline: true,
  max_wait: true,
  budget: false,
  budget_tokens: false,
  unreported_cost: false,
}

export interface ResumeFacts {
  interrupted: boolean
  makesMissing?: boolean
  /** --deadline is a date and time, which is over once it has stopped the benchmark. */
  hasFixedDeadline?: boolean
  /** The cases that --last-failed chose: repeated, it would choose from the new benchmark. */
  lastFailed?: readonly string[]
}

/** The command that completes these benchmarks; null if repeating it would change nothing. */
export function findResumeCommand(
  benchmarks: readonly Benchmark[],
  how: ResumeFacts,
  argv: readonly string[] = process.argv.slice(2),
): string | null {
  const { interrupted, makesMissing = false, hasFixedDeadline = false, lastFailed } = how
  if (interrupted || !makesMissing) return null
  const goesOn = ({ complete, excluded_runs = [], runs, metadata: { stopped } }: Benchmark) => {
    if (complete !== false) return false
    if (stopped && (!endsByItself[stopped.kind] || (stopped.kind === 'deadline' && hasFixedDeadline))) return false
    return excluded_runs.some(({ reason }) => isTriedAgain[reason]) || countUndecided({ runs }) > 0
  }
  return benchmarks.some(goesOn) ? resumeCommand(argv, lastFailed) : null
}

/** `argv`: of this command. Omits --fresh, which would start again, and passwords in addresses; --last-failed becomes its cases. */
export function resumeCommand(argv: readonly string[], lastFailed?: readonly string[]): string {
  const isReplaced = (word: string) => lastFailed !== undefined && /^--last-?[fF]ailed(=true)?$/.test(word)
  const kept = argv.flatMap((word) => {
    if (/^--fresh(=true)?$/.test(word)) return []
    return isReplaced(word) ? (lastFailed ?? []).map((id) => `--case=${id}`) : word
  })
  const needsFlag = kept[0] === 'improve' && !kept.some((word) => /^--resume(=true)?$/.test(word))
  // `redis://user:secret@host` as `redis://user:***@host`
  const words = [...kept, ...(needsFlag ? ['--resume'] : [])]
    .map((word) => word.replace(/(:\/\/[^:@/\s]*):[^@/\s]+@/, '$1:***@'))
    .map(quoteWord)
  return [typedCommand(), ...words].join(' ')
}
