/** Reads an existing benchmark.json of a folder, from Whetstone or another tool, and says where its numbers differ from ours, and why. */
import path from 'node:path'
import type { Benchmark, BenchmarkRun } from '../../../schemas/benchmark.ts'
import { pathExists } from '../../base/fs/files.ts'
import { runPassRate } from '../../phases/4-report/benchmark/run_pass_rate.ts'
import { formatFixed, formatSigned } from '../../phases/4-report/stats/numbers/round.ts'
import { type ForeignFields, pickNumber, pickText, toForeignFields } from './pick_values.ts'
import { readRate } from './read_grading.ts'
import { type ReferenceRun, readJsonFile, type TreeProblem } from './tree.ts'

/** Means by configuration ('' for a file with only one), as far as stated; rates 0 to 1. */
export interface CommittedBenchmark {
  /** Written by Whetstone. */
  ours: boolean
  skillName: string | null
  skillPath: string | null
  model: string | null
  timestamp: string | null
  /** null: it has no list of runs. */
  runs: number | null
  means: Record<string, { pass_rate: number | null; time_seconds: number | null; tokens: number | null }>
  /** The difference of pass rates as a number, whatever its notation ("+0.50", "+40pp", "-13.3%"). */
  delta: number | null
}

export async function readCommitted(folder: string, problems: TreeProblem[]): Promise<CommittedBenchmark | null> {
  if (!(await pathExists(path.join(folder, 'benchmark.json')))) return null
  const fields = toForeignFields(await readJsonFile(folder, 'benchmark.json', problems))
  return fields === null ? null : toCommittedBenchmark(fields)
}

function toCommittedBenchmark(fields: ForeignFields): CommittedBenchmark {
  const metadata = toForeignFields(fields.metadata)
  const summary = toForeignFields(fields.run_summary) ?? toForeignFields(fields.summary) ?? fields
  const arms = [...Object.entries(summary), ...listArmEntries(fields), ['', summary] as const].flatMap(
    ([name, value]) => {
      const arm = toForeignFields(value)
      return arm === null || name === 'delta' || name === 'metadata' ? [] : [[name, readArmMeans(arm)] as const]
    },
  )
  const known = (name: string) => {
    const text = pickText(metadata, [name]) ?? pickText(fields, [name])
    return text === null || /^<.*>$/.test(text) ? null : text
  }
  return {
    ours: fields.schema_version === 1,
    skillName: known('skill_name'),
    skillPath: known('skill_path'),
    model: known('executor_model'),
    timestamp: known('timestamp'),
    runs: Array.isArray(fields.runs) ? fields.runs.length : null,
    means: Object.fromEntries(arms.filter(([, { pass_rate }]) => pass_rate !== null)),
    delta: readDifference(toForeignFields(summary.delta) ?? toForeignFields(fields.delta)),
  }
}

/** Arms as a list, each with its name and the numbers in `aggregate`. */
function listArmEntries({ configurations }: ForeignFields): (readonly [string, unknown])[] {
  const list = Array.isArray(configurations) ? configurations.map(toForeignFields) : []
  return list.flatMap((arm) => {
    const name = pickText(arm, ['name', 'configuration'])
    return name === null ? [] : [[name, arm?.aggregate ?? arm] as const]
  })
}

function readArmMeans(arm: ForeignFields): CommittedBenchmark['means'][string] {
  const mean = (name: string) =>
    pickNumber(toForeignFields(arm[name]), ['mean']) ?? pickNumber(arm, [name, `mean_${name}`])
  const rate = readRate({ pass_rate: mean('pass_rate') })
  return { pass_rate: rate, time_seconds: mean('time_seconds'), tokens: mean('tokens') }
}

function readDifference(delta: ForeignFields | null): number | null {
  const value = delta?.pass_rate ?? delta?.mean_pass_rate
  if (typeof value === 'number') return Math.abs(value) > 1 ? value / 100 : value
  const found = typeof value === 'string' ? /^\s*([+-]?\d+(?:\.\d+)?)\s*(%|pp)?/.exec(value) : null
  if (!found) return null
  return found[2] ? Number(found[1]) / 100 : Number(found[1])
}

type Metric = keyof ReferenceRun

type ReferenceRuns = Readonly<Record<string, readonly ReferenceRun[]>>

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
export function committedNotes(
  committed: CommittedBenchmark,
  benchmark: Benchmark,
  reference: ReferenceRuns,
): string[] {
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

function deltaNote(committed: CommittedBenchmark, { run_summary }: Benchmark): string[] {
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
