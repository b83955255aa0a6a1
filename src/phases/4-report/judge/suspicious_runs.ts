/** Runs with text that seems to instruct the judge: counts for gates, and one line below the headline. */
import type { Benchmark, BenchmarkRun, SuspiciousRuns } from '../../../../schemas/benchmark.ts'
import type { EvalCaseResult } from '../../../../schemas/eval_result.ts'
import { armNames, type BenchmarkArms } from '../benchmark/arms.ts'
import { formatConfiguration, formatCount, formatPlural } from '../text/format.ts'

/** Whether the judge of this run read text that seems to instruct it. */
export function isSuspicious({ injection_attempts = [] }: Pick<BenchmarkRun, 'injection_attempts'>): boolean {
  return injection_attempts.length > 0
}

export function countSuspicious(
  graded: readonly { runId: string; run: Pick<BenchmarkRun, 'configuration' | 'injection_attempts'> }[],
  arms: BenchmarkArms,
): SuspiciousRuns {
  const found = graded.filter(({ run }) => isSuspicious(run))
  const inArm = (name: string) => found.filter(({ run }) => run.configuration === name).length
  return {
    runs: found.length,
    by_configuration: Object.fromEntries(armNames(arms).map((name) => [name, inArm(name)])),
    run_ids: found.map(({ runId }) => runId),
  }
}

/** "Suspicious: 2 of 12 runs contain text that tries to instruct the judge (both with skill). See <run id>."; null: none. */
export function suspiciousLine({
  runs,
  injection_attempts,
}: Pick<Benchmark, 'runs' | 'injection_attempts'>): string | null {
  if (injection_attempts === undefined || injection_attempts.runs === 0) return null
  const { runs: found, run_ids, by_configuration } = injection_attempts
  const verb = found === 1 ? 'contains' : 'contain'
  const first = run_ids[0] === undefined ? '' : ` See ${run_ids[0]}.`
  return `Suspicious: ${formatCount(found)} of ${formatPlural(runs.length, 'run')} ${verb} text that tries to instruct the judge (${armsText(found, by_configuration)}).${first}`
}

function armsText(found: number, byConfiguration: SuspiciousRuns['by_configuration']): string {
  const arms = Object.entries(byConfiguration).filter(([, number]) => number > 0)
  const [only] = arms
  if (arms.length === 1 && only !== undefined) {
    const all = found === 1 ? '' : found === 2 ? 'both ' : `all ${formatCount(found)} `
    return `${all}${formatConfiguration(only[0])}`
  }
  return arms.map(([name, number]) => `${formatCount(number)} ${formatConfiguration(name)}`).join(', ')
}

/** The same line for the cases of an eval; null: none is suspicious. */
export function suspiciousCases(cases: readonly EvalCaseResult[]): string | null {
  const found = cases.filter(isSuspicious)
  const [first] = found
  if (first === undefined) return null
  const verb = found.length === 1 ? 'contains' : 'contain'
  const [attempt] = first.injection_attempts ?? []
  const place = attempt === undefined ? '' : ` See ${[first.run, attempt.file].filter(Boolean).join('/')}.`
  return `Suspicious: ${formatCount(found.length)} of ${formatPlural(cases.length, 'case')} ${verb} text that tries to instruct the judge (${first.eval_name}${found.length > 1 ? ', …' : ''}).${place}`
}
