/** Notes on a benchmark.json that another tool wrote from the same runs: where its numbers differ, and why. */
import type { Benchmark, BenchmarkRun } from '../../../../schemas/benchmark.ts'
import { formatFixed, formatSigned } from '../stats/numbers/round.ts'
import { runPassRate } from './run_pass_rate.ts'

type Metric = 'pass_rate' | 'time_seconds' | 'tokens'
type Means = Readonly<Partial<Record<Metric, number | null>>>

export interface CommittedNumbers {
  /** How many runs it lists; null: it has no list of runs. */
  runs: number | null
  means: Readonly<Record<string, Means>>
  /** Difference between the pass rates, 0 to 1. */
  delta: number | null
}

/** What the aggregator of the reference (skill-creator) reads from each run, by configuration. */
export type ReferenceRuns = Readonly<Record<string, readonly Readonly<Record<Metric, number>>[]>>

const reasons: Record<Metric, string> = {
  pass_rate: 'it uses the summary of each grading as written (0 if there is none) instead of counting the verdicts',
  time_seconds: 'it counts a run without total_duration_seconds as 0 seconds',
  tokens: 'it counts a run without total_tokens as 0, or counts the characters of its output instead',
}

/** Decimals that we show, and the fewest that the other file can have: JSON writes 1.00 as 1. */
const digits: Record<Metric, { shown: number; least: number }> = {
  pass_rate: { shown: 4, least: 2 },
  time_seconds: { shown: 4, least: 1 },
  tokens: { shown: 1, least: 0 },
}

/** One note per difference. If all values agree to the file's digits, one note says how many were compared. */
export function committedNotes(committed: CommittedNumbers, benchmark: Benchmark, reference: ReferenceRuns): string[] {
  const names = Object.keys(benchmark.run_summary).filter((name) => name !== 'delta')
  if (committed.runs === 0 && benchmark.runs.length > 0) {
    return [
      `The existing benchmark.json has no runs, this one has ${benchmark.runs.length}: the reference aggregator reads only eval-*/<configuration>/run-<n>.`,
    ]
  }
  const metrics: Metric[] = ['pass_rate', 'time_seconds', 'tokens']
  const stated = names.flatMap((name) => {
    const means = committed.means[name] ?? (names.length === 1 ? committed.means[''] : undefined)
    return metrics.flatMap((metric) => {
      const says = means?.[metric] ?? null
      // An unknown value written as 0 does not count.
      const known = says !== null && (says !== 0 || averageRunMetric(benchmark.runs, name, metric) !== null)
      return known ? [{ name, metric, says }] : []
    })
  })
  const notes = stated.flatMap((one) => meanNote({ ...one, benchmark, reference }))
  // A delta follows from the means: it gets a note only if they do not explain it.
  const explained = notes.some((note) => note.includes(' pass_rate '))
  const differences = [...notes, ...(explained ? [] : deltaNote(committed, benchmark))]
  if (differences.length > 0) return differences
  return [
    stated.length === 0
      ? 'The existing benchmark.json has no mean of any configuration, so there is nothing to compare.'
      : `The existing benchmark.json agrees with this one (${stated.length} means compared).`,
  ]
}

function meanNote(at: {
  name: string
  metric: Metric
  says: number
  benchmark: Benchmark
  reference: ReferenceRuns
}): string[] {
  const { name, metric, says, benchmark } = at
  const own = averageRunMetric(benchmark.runs, name, metric)
  if (own !== null && agrees(own, says, metric)) return []
  const others = (at.reference[name] ?? []).map((run) => run[metric])
  const theirs = others.length === 0 ? null : others.reduce((sum, value) => sum + value, 0) / others.length
  const why = theirs !== null && agrees(theirs, says, metric) ? `because ${reasons[metric]}` : 'for an unknown reason'
  const value = own === null ? 'unknown' : formatFixed(own, digits[metric].shown)
  return [`The existing benchmark.json has ${metric} ${says} for ${name}, this one ${value}: ${why}.`]
}

function averageRunMetric(runs: readonly BenchmarkRun[], name: string, metric: Metric): number | null {
  const own = runs.filter(({ configuration }) => configuration === name)
  const values = own.flatMap((run) => (metric === 'pass_rate' ? runPassRate(run) : (run.result[metric] ?? [])))
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

function deltaNote(committed: CommittedNumbers, { run_summary }: Benchmark): string[] {
  const own = Number(run_summary.delta?.pass_rate ?? Number.NaN)
  const { delta } = committed
  if (delta === null || Number.isNaN(own) || Math.abs(delta - own) < 0.0101) return []
  const why =
    Math.abs(delta + own) < 0.0101
      ? 'because it subtracts the second configuration in name order from the first, this one the baseline from the candidate'
      : 'for an unknown reason'
  return [
    `The existing benchmark.json has delta ${formatSigned(delta, 2)}, this one ${run_summary.delta?.pass_rate}: ${why}.`,
  ]
}

/** Within one unit of the last digit in the other file, which may be cut or rounded. */
function agrees(own: number, says: number, metric: Metric): boolean {
  const places = Math.max(digits[metric].least, /\.(\d+)$/.exec(String(says))?.[1]?.length ?? 0)
  return Math.abs(own - says) < Math.max(1e-4, 10 ** -places)
}
