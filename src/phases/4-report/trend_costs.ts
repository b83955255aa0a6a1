/** What benchmarks cost by month: the agent's runs, the judges, the improve loop; unknown stays unknown. */
import type { TrendMonth } from '../../../schemas/trend.ts'
import { round } from './stats/round.ts'
import type { Found } from './trend.ts'

/** What an iteration of the improve loop cost besides its benchmarks. */
export interface Improved {
  at: Date
  usd: number | null
}

/** Oldest month first; what was reused counts where it was paid. */
export function costsByMonth(found: readonly Found[], improved: readonly Improved[]): TrendMonth[] {
  const months = [...new Set([...found, ...improved].map(({ at }) => monthOf(at)))].sort()
  return months.map((month) => {
    const own = found.filter(({ at }) => monthOf(at) === month)
    const iterations = improved.filter(({ at }) => monthOf(at) === month)
    return {
      month,
      benchmarks: own.length,
      agent_usd: sum(own.map(agentPaid)),
      judge_usd: sum(own.flatMap(judgePaid)),
      improve_usd: sum(iterations.map(({ usd }) => usd)),
      unknown_runs: own.reduce((all, one) => all + unknownRuns(one), 0),
    }
  })
}

function monthOf(at: Date): string {
  return at.toISOString().slice(0, 7)
}

function agentPaid({ benchmark: { cost, reused } }: Found): number | null {
  return less(cost?.agent_usd, reused === undefined ? 0 : reused.agent_usd)
}

function judgePaid({ benchmark: { cost, reused } }: Found): (number | null)[] {
  return [less(cost?.judge_usd, reused?.judge_usd ?? 0), ...(cost?.again_usd === undefined ? [] : [cost.again_usd])]
}

/** Of those made here: a reused run of unknown cost is unknown where it was made. */
function unknownRuns({ benchmark: { cost, reused, runs } }: Found): number {
  const unknown = cost?.unknown_runs ?? runs.length
  return reused === undefined || reused.agent_usd !== null ? unknown : Math.max(0, unknown - reused.runs)
}

function less(all: number | null | undefined, reused: number | null): number | null {
  return all === null || all === undefined ? null : Math.max(0, all - (reused ?? 0))
}

/** Of those that are known; null: of none. */
function sum(amounts: readonly (number | null)[]): number | null {
  const known = amounts.filter((one) => one !== null)
  return known.length === 0
    ? null
    : round(
        known.reduce((all, one) => all + one, 0),
        6,
      )
}
