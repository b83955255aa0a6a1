/** Says what keeps a benchmark from being complete. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { plural } from './words.ts'

/** Reasons that read badly by their names. */
const worded: Readonly<Record<string, string>> = { judge_error: 'not wholly decided by the judge' }

/** One sentence, to be shown before everything else; null for a complete benchmark, or one that does not say. */
export function incompleteness(benchmark: Benchmark): string | null {
  const { complete, counts, metadata } = benchmark
  if (complete !== false) return null
  if (counts === undefined || counts.planned === 0) return 'No run was planned: there is nothing to compare.'
  const graded = `${counts.used} of ${plural(counts.planned, 'planned run')} ${counts.used === 1 ? 'is' : 'are'} graded`
  const undecided = undecidedIn(benchmark)
  const left = Object.entries(counts.excluded).map(
    ([reason, number]) => `${number} ${worded[reason] ?? reason.replace(/:(.*)/, ' ($1)').replaceAll('_', ' ')}`,
  )
  const apart = [
    graded,
    ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
    ...(counts.ungraded > 0 ? [`${counts.ungraded} without criteria by design`] : []),
  ].join('; ')
  const open = undecided > 0 ? ` In graded runs ${plural(undecided, 'expectation')} stayed undecided.` : ''
  const stopped = metadata.stopped === undefined ? '' : `${sentence(metadata.stopped.reason)} `
  return `${stopped}${apart}.${open} Read the numbers with care.`
}

/** The files of another tool that were left out, three of them by name; null: none. Why is in the notes. */
export function leftOutFiles({ problems = [] }: Pick<Benchmark, 'problems'>): string | null {
  if (problems.length === 0) return null
  const files = [...new Set(problems.map(({ file }) => file))]
  const more = files.length > 3 ? ` and ${files.length - 3} more` : ''
  return `left out: ${files.slice(0, 3).join(', ')}${more}`
}

/** Expectations of graded runs that no judge could decide. */
export function undecidedIn({ runs }: Pick<Benchmark, 'runs'>): number {
  return runs.reduce((sum, { result }) => sum + (typeof result.undecided === 'number' ? result.undecided : 0), 0)
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`
}
