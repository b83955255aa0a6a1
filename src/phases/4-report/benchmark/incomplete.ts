/** Says why a benchmark is incomplete. */
import type { Benchmark, ExcludedRun } from '../../../../schemas/benchmark.ts'
import { listUnrunnableCases } from '../page/cases.ts'
import { formatPlural, toSentence } from '../text/format.ts'
import { otherModelFix } from './classify_runs.ts'

/** Reasons whose names read badly. */
const reasonWords: Readonly<Record<string, string>> = { judge_error: 'not wholly decided by the judge' }

/** One sentence, shown before everything else; null: the benchmark is complete, or does not say. */
export function incompleteness(benchmark: Benchmark): string | null {
  const { complete, counts, metadata } = benchmark
  if (complete !== false) return null
  if (counts === undefined || counts.planned === 0) return 'No run was planned: there is nothing to compare.'
  const graded = `${counts.used} of ${formatPlural(counts.planned, 'planned run')} ${counts.used === 1 ? 'is' : 'are'} graded`
  const undecided = countUndecided(benchmark)
  const left = listExclusions(counts)
  const apart = [
    graded,
    ...(left.length > 0 ? [`excluded: ${left.join(', ')}`] : []),
    ...(counts.ungraded > 0 ? [`${counts.ungraded} without criteria by design`] : []),
  ].join('; ')
  const open = undecided > 0 ? ` In graded runs ${formatPlural(undecided, 'expectation')} stayed undecided.` : ''
  const stopped = metadata.stopped === undefined ? '' : `${toSentence(metadata.stopped.reason)} `
  return `${stopped}${apart}.${open} Read the numbers with care.`
}

/** Such as "2 failed (server error)". */
export function listExclusions({ excluded }: Pick<NonNullable<Benchmark['counts']>, 'excluded'>): string[] {
  return Object.entries(excluded).map(
    ([reason, number]) => `${number} ${reasonWords[reason] ?? reason.replace(/:(.*)/, ' ($1)').replaceAll('_', ' ')}`,
  )
}

/** The planned cases that can't run, three of them with the reason; null: none. */
export function leftOutCases({ metadata, cases = [] }: Pick<Benchmark, 'metadata' | 'cases'>): string | null {
  const stuck = listUnrunnableCases(metadata)
  if (stuck.length === 0) return null
  const shown = stuck.slice(0, 3).map(([id, reason]) => `case ${id}: ${reason}`)
  const more = stuck.length > 3 ? `; and ${stuck.length - 3} more` : ''
  const verb = stuck.length === 1 ? 'was' : 'were'
  return `${stuck.length} of ${formatPlural(cases.length, 'case')} ${verb} left out (${shown.join('; ')}${more})`
}

/** The skipped files of another tool, three of them by name; null: none. The notes say why. */
export function leftOutFiles({ problems = [] }: Pick<Benchmark, 'problems'>): string | null {
  if (problems.length === 0) return null
  const files = [...new Set(problems.map(({ file }) => file))]
  const more = files.length > 3 ? ` and ${files.length - 3} more` : ''
  return `left out: ${files.slice(0, 3).join(', ')}${more}`
}

/** The number of expectations in graded runs that no judge could decide. */
export function countUndecided({ runs }: Pick<Benchmark, 'runs'>): number {
  return runs.reduce((sum, { result }) => sum + (typeof result.undecided === 'number' ? result.undecided : 0), 0)
}

/** What the same bench does about a run that is not in the rates; null: nothing. */
const repeatedPart: Record<ExcludedRun['reason'], 'run' | 'grading' | null> = {
  failed: 'run',
  cancelled: 'run',
  missing: 'run',
  judge_error: 'grading',
  // an outcome of the agent, which a repetition would choose
  timed_out: null,
  // by the suite: it must be changed first
  ungraded: null,
  cannot_run: null,
  quarantined: null,
}

interface MissingWork {
  /** To perform and grade. */
  runs: number
  /** Of performed runs, to ask the judge for again. */
  gradings: number
  /** By the means of this benchmark; null: not known. */
  usd: number | null
}

/** What a further bench would do for an incomplete benchmark; null: nothing. */
export function findMissingWork({
  complete,
  excluded_runs = [],
  runs: used,
  cost,
  metadata,
}: Benchmark): MissingWork | null {
  if (complete !== false) return null
  const open = excluded_runs.filter(({ message }) => !message?.endsWith(otherModelFix))
  const parts = open.map(({ reason }) => repeatedPart[reason])
  const runs = parts.filter((part) => part === 'run').length
  const undecided = used.filter((one) => countUndecided({ runs: [one] }) > 0).length
  const gradings = parts.filter((part) => part === 'grading').length + undecided
  if (runs + gradings === 0) return null
  const judge = (cost?.judge_usd ?? Number.NaN) / used.length
  const paid = used.flatMap(({ result }) => result.cost_usd ?? [])
  const agent = paid.reduce((sum, usd) => sum + usd, 0) / paid.length
  // without reported costs, what a budget has counted
  const whole =
    [agent + judge, (metadata.stopped?.spent ?? Number.NaN) / used.length].find(Number.isFinite) ?? Number.NaN
  const usd = (runs === 0 ? 0 : runs * whole) + (gradings === 0 ? 0 : gradings * judge)
  return { runs, gradings, usd: Number.isFinite(usd) ? usd : null }
}
