/** Builds the command that resumes this one, ready to paste into a shell, and says what it would do and cost. */
import type { Benchmark } from '../../schemas/benchmark.ts'
import type { StopKind } from '../../schemas/limits.ts'
import { quoteWord, typedCommand } from '../base/package_root.ts'
import { findMissingWork } from '../phases/4-report/benchmark/incomplete.ts'
import { formatDollars, formatPlural } from '../phases/4-report/text/format.ts'

/** Whether the same bench continues after such a stop. After a limit on spending it would stop at once: the user must raise it first. */
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
  const goesOn = (benchmark: Benchmark) => {
    const { stopped } = benchmark.metadata
    if (stopped && (!endsByItself[stopped.kind] || (stopped.kind === 'deadline' && hasFixedDeadline))) return false
    return findMissingWork(benchmark) !== null
  }
  return benchmarks.some(goesOn) ? resumeCommand(argv, lastFailed) : null
}

/**
 * Lines for a terminal: the command that can complete the benchmark, with a larger limit where one on spending stopped it, and what it does and
 * costs; without such a command, what performs the missing work. Empty if nothing would.
 */
export function continueLines(
  benchmark: Benchmark,
  how: ResumeFacts,
  argv: readonly string[] = process.argv.slice(2),
): string[] {
  const work = findMissingWork(benchmark)
  if (work === null || how.interrupted) return []
  const { runs, gradings, usd } = work
  const parts = [
    ...(runs > 0 ? [`perform and grade ${formatPlural(runs, 'run')}`] : []),
    ...(gradings > 0 ? [`ask the judge again about ${formatPlural(gradings, 'run')}`] : []),
  ]
  const effect = `${parts.join(' and ')}: ${usd === null ? 'cost not known' : `about ${formatDollars(usd)}`}`
  const command =
    findResumeCommand([benchmark], how, argv) ??
    (how.makesMissing ? raisedCommand(benchmark, { ...how, usd }, argv) : null)
  if (command !== null) return [`To continue: ${command}`, `  to ${effect}`]
  const isOwn = typeof benchmark.metadata.engine === 'string' && benchmark.observational !== true
  return isOwn && !how.makesMissing ? [`To continue: repeat the \`bench\` that wrote it, to ${effect}`] : []
}

/** The command with a budget that is enough for the missing runs; null: another limit stopped the benchmark, or their cost is not known. */
function raisedCommand(
  { metadata: { stopped } }: Benchmark,
  { usd, lastFailed }: ResumeFacts & { usd: number | null },
  argv: readonly string[],
): string | null {
  if (stopped?.kind !== 'budget' || usd === null) return null
  // runs differ: a quarter more than the mean
  const enough = Math.ceil(((stopped.spent ?? 0) + 1.25 * usd) * 100) / 100
  const flag = argv.findIndex((word) => /^--budget(=|$)/.test(word))
  const others = flag < 0 ? argv : argv.toSpliced(flag, argv[flag] === '--budget' ? 2 : 1)
  return resumeCommand([...others, '--budget', String(enough)], lastFailed)
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
