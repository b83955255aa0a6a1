/** The arms of a benchmark: their names and order, their summaries, and the difference between two of them. */
import { type ArmKind, armKind } from '../../../schemas/arm_names.ts'
import { type ArmSummary, type Benchmark, type BenchmarkRun, benchmark } from '../../../schemas/benchmark.ts'
import { describe } from './stats/describe.ts'
import { signed } from './stats/round.ts'

/** Configuration names; null where the benchmark has no such arm. */
export interface Arms {
  candidate: string | null
  baseline: string | null
}

/** Both arms are the same: what differs between them is noise. */
export function isCalibration({ candidate, baseline }: Arms): boolean {
  return baseline !== null && candidate === `${baseline}_again`
}

/** What meets: the skill and none, a newer version and an older, the baseline twice, or two of which the names alone are known. */
export type Meeting = 'skill' | 'versions' | 'itself' | 'names'

/** What the names say for sure; a user may have chosen the arms the other way round. */
export function meetingOf(arms: Arms): Meeting {
  if (isCalibration(arms)) return 'itself'
  const [own, other] = [armKind(arms.candidate ?? ''), armKind(arms.baseline ?? '')]
  switch (other) {
    case 'without':
    case 'baseline':
      return isLow(own) ? 'names' : 'skill'
    case 'older':
      return isLow(own) || own === 'older' ? 'names' : 'versions'
    case 'control':
    case null:
      return own === 'with' ? 'skill' : 'names'
    case 'with':
    case 'current':
    case 'newer':
      return 'names'
  }
}

function isLow(kind: ArmKind | null): boolean {
  return kind === 'without' || kind === 'baseline' || kind === 'control'
}

const candidates = ['with_skill', 'new_skill']

/** The arms by what the metadata say, else (benchmarks of other tools) by the known names, else by their order. */
export function armsOf({ metadata, run_summary, runs }: Benchmark): Arms {
  const { candidate_configuration: candidate, baseline_configuration: baseline } = metadata
  if (typeof candidate === 'string') return { candidate, baseline: typeof baseline === 'string' ? baseline : null }
  const names = Object.keys(run_summary).filter((name) => name !== 'delta')
  const found = [...new Set([...names, ...runs.map((run) => run.configuration)])]
  const first = candidates.find((name) => found.includes(name)) ?? found[0] ?? null
  return { candidate: first, baseline: found.find((name) => name !== first) ?? null }
}

/** The arms that there are, candidate first. */
export function armNames({ candidate, baseline }: Arms): string[] {
  return [candidate, baseline].filter((name): name is string => name !== null)
}

/** The summary of an arm; null when none of its runs is graded. */
export function armSummary({ run_summary }: Benchmark, name: string | null): ArmSummary | null {
  if (name === null || name === 'delta') return null
  return run_summary[name] ?? null
}

/** One entry an arm that has graded runs, then `delta` when both have. */
export function summarizeArms(runs: readonly BenchmarkRun[], arms: Arms): Benchmark['run_summary'] {
  const summaries = armNames(arms).flatMap((name) => {
    const summary = summarize(runs.filter((run) => run.configuration === name))
    return summary === null ? [] : [[name, summary] as const]
  })
  const [candidate, baseline] = summaries
  const delta = candidate && baseline ? { delta: deltaOf(candidate[1], baseline[1]) } : {}
  return benchmark.shape.run_summary.parse({ ...Object.fromEntries(summaries), ...delta })
}

function summarize(runs: readonly BenchmarkRun[]): ArmSummary | null {
  const pass_rate = describe(passRates(runs))
  const time_seconds = describe(runs.flatMap((run) => run.result.time_seconds ?? []))
  const tokens = describe(runs.flatMap((run) => run.result.tokens ?? []))
  if (pass_rate === null) return null
  return { pass_rate, ...(time_seconds === null ? {} : { time_seconds }), ...(tokens === null ? {} : { tokens }) }
}

/** From the counts, because the rate of a run is rounded. */
export function passRates(runs: readonly BenchmarkRun[]): number[] {
  return runs.map(({ result }) => (result.total > 0 ? result.passed / result.total : result.pass_rate))
}

function deltaOf(candidate: ArmSummary, baseline: ArmSummary): NonNullable<Benchmark['run_summary']['delta']> {
  const time =
    candidate.time_seconds && baseline.time_seconds && candidate.time_seconds.mean - baseline.time_seconds.mean
  const tokens = candidate.tokens && baseline.tokens && candidate.tokens.mean - baseline.tokens.mean
  return {
    pass_rate: signed(candidate.pass_rate.mean - baseline.pass_rate.mean, 2),
    ...(time === undefined ? {} : { time_seconds: signed(time, 1) }),
    ...(tokens === undefined ? {} : { tokens: signed(tokens, 0) }),
  }
}
