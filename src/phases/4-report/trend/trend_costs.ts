/** The cost of benchmarks by month: the agent's runs, the judges, the improve loop; unknown costs stay unknown. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Plan } from '../../../../schemas/plan.ts'
import type { TrendMonth } from '../../../../schemas/trend.ts'
import { round } from '../stats/numbers/round.ts'

/** The cost of an iteration of the improve loop, without its benchmarks. */
export interface ImproveCost {
  at: Date
  usd: number | null
}

/** Oldest month first; reused runs count where they were paid for. */
export function costsByMonth(found: readonly TrendBenchmark[], improved: readonly ImproveCost[]): TrendMonth[] {
  const months = [...new Set([...found, ...improved].map(({ at }) => formatMonth(at)))].sort()
  return months.map((month) => {
    const own = found.filter(({ at }) => formatMonth(at) === month)
    const performed = own.filter(({ benchmark }) => benchmark.observational !== true) // a person paid for the sessions
    const iterations = improved.filter(({ at }) => formatMonth(at) === month)
    return {
      month,
      benchmarks: performed.length,
      agent_usd: sum(performed.map(agentPaid)),
      judge_usd: sum(own.flatMap(judgePaid)),
      improve_usd: sum(iterations.map(({ usd }) => usd)),
      unknown_runs: performed.reduce((all, one) => all + unknownRuns(one), 0),
    }
  })
}

function formatMonth(at: Date): string {
  return at.toISOString().slice(0, 7)
}

function agentPaid({ benchmark: { cost, reused } }: TrendBenchmark): number | null {
  return less(cost?.agent_usd, reused === undefined ? 0 : reused.agent_usd)
}

function judgePaid({ benchmark: { cost, reused } }: TrendBenchmark): (number | null)[] {
  return [less(cost?.judge_usd, reused?.judge_usd ?? 0), ...(cost?.again_usd === undefined ? [] : [cost.again_usd])]
}

/** Only runs of this benchmark: a reused run of unknown cost counts where it ran. */
function unknownRuns({ benchmark: { cost, reused, runs } }: TrendBenchmark): number {
  const unknown = cost?.unknown_runs ?? runs.length
  return reused === undefined || reused.agent_usd !== null ? unknown : Math.max(0, unknown - reused.runs)
}

function less(all: number | null | undefined, reused: number | null): number | null {
  return all === null || all === undefined ? null : Math.max(0, all - (reused ?? 0))
}

/** The sum of the known amounts; null: none is known. */
function sum(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((one) => one !== null)
  return known.length === 0
    ? null
    : round(
        known.reduce((all, one) => all + one, 0),
        6,
      )
}

/** A benchmark as it is on disk; `at`: when it ran. */
export interface TrendBenchmark {
  folder: string
  at: Date
  benchmark: Benchmark
  /** null: another tool wrote it, or it is older than plans. */
  plan: TrendPlan | null
}

export type TrendPlan = Pick<Plan, 'skill' | 'suite' | 'options' | 'watch'>
