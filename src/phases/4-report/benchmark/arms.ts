/** The configurations of a benchmark: their names, order and summaries, and the difference between two of them. */
import { type ArmKind, armKind } from '../../../../schemas/arm_names.ts'
import { type ArmSummary, type Benchmark, type BenchmarkRun, benchmark } from '../../../../schemas/benchmark.ts'
import { summarizeValues } from '../stats/numbers/describe.ts'
import { formatSigned } from '../stats/numbers/round.ts'
import { runPassRate } from './run_pass_rate.ts'

/** Configuration names; null: the benchmark has no such configuration. */
export interface BenchmarkArms {
  candidate: string | null
  baseline: string | null
}

/** Both configurations are the same, so a difference between them is noise. */
export function isCalibration({ candidate, baseline }: BenchmarkArms): boolean {
  return baseline !== null && candidate === `${baseline}_again`
}

/** What is compared: the skill with none, two versions, the baseline with itself, or two of unknown kinds (`names`). */
export type ArmPairing = 'skill' | 'versions' | 'itself' | 'names'

/** Only what the names say for sure: a user may have chosen the configurations the other way round. */
export function classifyArmPairing(arms: BenchmarkArms): ArmPairing {
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

const contents: Record<string, string> = {
  whole_plugin: 'the plugin',
  with_neighbours: 'the skill and its neighbours',
  skill_alone: 'the skill alone',
}

/** What agents have in a configuration that has more or less than others; else its name. */
export function nameArm(configuration: string): string {
  return contents[configuration] ?? configuration
}

/** "with the plugin", or "for <name>" if the name does not say what agents have. */
export function describeArm(configuration: string): string {
  return `${configuration in contents ? 'with' : 'for'} ${nameArm(configuration)}`
}

/** "with the skill", "with the plugin", "with the new version"; "with <name>" if the name does not say. */
export function describeCandidate(arms: BenchmarkArms): string {
  const candidate = nameArm(arms.candidate ?? '')
  const words = { skill: 'the skill', itself: 'the skill', versions: 'the new version', names: candidate }
  return `with ${candidate === arms.candidate ? words[classifyArmPairing(arms)] : candidate}`
}

function isLow(kind: ArmKind | null): boolean {
  return kind === 'without' || kind === 'baseline' || kind === 'control'
}

const candidates = ['with_skill', 'new_skill']

/** The configurations from the metadata; in benchmarks of other tools from the known names, else from their order. */
export function findArms({ metadata, run_summary, runs }: Benchmark): BenchmarkArms {
  const { candidate_configuration: candidate, baseline_configuration: baseline } = metadata
  if (typeof candidate === 'string') return { candidate, baseline: typeof baseline === 'string' ? baseline : null }
  const names = Object.keys(run_summary).filter((name) => name !== 'delta')
  const found = [...new Set([...names, ...runs.map((run) => run.configuration)])]
  const first = candidates.find((name) => found.includes(name)) ?? found[0] ?? null
  return { candidate: first, baseline: found.find((name) => name !== first) ?? null }
}

/** The existing configurations, candidate first. */
export function armNames({ candidate, baseline }: BenchmarkArms): string[] {
  return [candidate, baseline].filter((name): name is string => name !== null)
}

/** The runs of the cases that were graded in both configurations; all runs if there is only one configuration. */
export function keepPairedRuns({ runs }: Pick<Benchmark, 'runs'>, arms: BenchmarkArms): BenchmarkRun[] {
  const graded = new Set(runs.map(({ eval_id, configuration }) => `${configuration} ${eval_id}`))
  return runs.filter(({ eval_id }) => armNames(arms).every((name) => graded.has(`${name} ${eval_id}`)))
}

/** The summary of a configuration; null: none of its runs is graded. */
export function findArmSummary({ run_summary }: Benchmark, name: string | null): ArmSummary | null {
  if (name === null || name === 'delta') return null
  return run_summary[name] ?? null
}

/** One entry for each configuration with graded runs, then `delta` if both have one. */
export function summarizeArms(runs: readonly BenchmarkRun[], arms: BenchmarkArms): Benchmark['run_summary'] {
  const summaries = armNames(arms).flatMap((name) => {
    const summary = summarize(runs.filter((run) => run.configuration === name))
    return summary === null ? [] : [[name, summary] as const]
  })
  const [candidate, baseline] = summaries
  const delta = candidate && baseline ? { delta: computeArmDelta(candidate[1], baseline[1]) } : {}
  return benchmark.shape.run_summary.parse({ ...Object.fromEntries(summaries), ...delta })
}

function summarize(runs: readonly BenchmarkRun[]): ArmSummary | null {
  const pass_rate = summarizeValues(runs.map(runPassRate))
  const time_seconds = summarizeValues(runs.flatMap((run) => run.result.time_seconds ?? []))
  const tokens = summarizeValues(runs.flatMap((run) => run.result.tokens ?? []))
  if (pass_rate === null) return null
  return { pass_rate, ...(time_seconds === null ? {} : { time_seconds }), ...(tokens === null ? {} : { tokens }) }
}

function computeArmDelta(candidate: ArmSummary, baseline: ArmSummary): NonNullable<Benchmark['run_summary']['delta']> {
  const time =
    candidate.time_seconds && baseline.time_seconds && candidate.time_seconds.mean - baseline.time_seconds.mean
  const tokens = candidate.tokens && baseline.tokens && candidate.tokens.mean - baseline.tokens.mean
  return {
    pass_rate: formatSigned(candidate.pass_rate.mean - baseline.pass_rate.mean, 2),
    ...(time === undefined ? {} : { time_seconds: formatSigned(time, 1) }),
    ...(tokens === undefined ? {} : { tokens: formatSigned(tokens, 0) }),
  }
}
