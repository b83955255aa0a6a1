/** Builds the command that resumes this one, ready to paste into a shell, and says what it would do and cost. */
import { sum } from 'simple-statistics'
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
 * Lines for a terminal: the command that can complete the benchmarks, with a larger limit where one on spending stopped a single one, and what
 * it does and costs; without such a command, what performs the missing work. Empty if nothing would.
 */
export function continueLines(
  benchmarks: readonly Benchmark[],
  how: ResumeFacts,
  argv: readonly string[] = process.argv.slice(2),
): string[] {
  const works = benchmarks.flatMap((benchmark) => findMissingWork(benchmark) ?? [])
  if (works.length === 0 || how.interrupted) return []
  const runs = sum(works.map((work) => work.runs))
  const gradings = sum(works.map((work) => work.gradings))
  const usd = works.some((work) => work.usd === null) ? null : sum(works.map((work) => work.usd ?? 0))
  const parts = [
    ...(runs > 0 ? [`perform and grade ${formatPlural(runs, 'run')}`] : []),
    ...(gradings > 0 ? [`grade ${formatPlural(gradings, 'run')} again`] : []),
  ]
  const effect = `${parts.join(' and ')}: ${usd === null ? 'cost not known' : `about ${formatDollars(usd)}`}`
  const command =
    findResumeCommand(benchmarks, how, argv) ??
    (how.makesMissing ? raisedCommand(benchmarks, { ...how, usd }, argv) : null)
  if (command !== null) return [`To continue: ${command}`, `  to ${effect}`]
  const isOwn = benchmarks.every(({ metadata, observational }) => typeof metadata.engine === 'string' && !observational)
  return isOwn && !how.makesMissing ? [`To continue: repeat the \`bench\` that wrote it, to ${effect}`] : []
}

/**
 * The command with a budget that is enough for the missing runs; null: another limit stopped the benchmark, their cost is not known, or other
 * skills share the budget, which may not have started.
 */
function raisedCommand(
  [benchmark, ...others]: readonly Benchmark[],
  { usd, lastFailed }: ResumeFacts & { usd: number | null },
  argv: readonly string[],
): string | null {
  const stopped = benchmark?.metadata.stopped
  if (others.length > 0 || stopped?.kind !== 'budget' || usd === null) return null
  // runs differ: a quarter more than the mean
  const enough = Math.ceil(((stopped.spent ?? 0) + 1.25 * usd) * 100) / 100
  const flag = argv.findIndex((word) => /^--budget(=|$)/.test(word))
  const rest = flag < 0 ? argv : argv.toSpliced(flag, argv[flag] === '--budget' ? 2 : 1)
  return resumeCommand([...rest, '--budget', String(enough)], lastFailed)
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
