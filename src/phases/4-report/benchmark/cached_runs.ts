/** Runs reused from the cache: how many, of which configuration, how old. */
import type { ReusedRuns } from '../../../../schemas/benchmark.ts'
import type { CountedRecord } from '../../../../schemas/run.ts'
import { round } from '../stats/numbers/round.ts'

/** null: none. The cost is null unless it is known for each run. */
export function summarizeReusedRuns(records: readonly (CountedRecord | null)[]): ReusedRuns | null {
  const reused = records.flatMap((record) => (record?.cached_from ? { ...record, at: record.cached_from.at } : []))
  const [first] = reused
  if (first === undefined) return null
  const counts: Record<string, number> = {}
  for (const { configuration } of reused) counts[configuration] = (counts[configuration] ?? 0) + 1
  const shared = reused.filter(({ cached_from: from }) => from?.shared).length
  const costs = reused.flatMap(({ cost }) => cost?.usd ?? [])
  return {
    runs: reused.length,
    oldest: reused.map(({ at }) => at).sort()[0] ?? first.at,
    by_configuration: counts,
    ...(shared > 0 && { shared }),
    agent_usd:
      costs.length < reused.length
        ? null
        : round(
            costs.reduce((sum, usd) => sum + usd, 0),
            6,
          ),
  }
}

/** "24 of 48 runs reused (24 without_skill; 12 from the shared cache; oldest 2026-11-20)". */
export function reusedText({ runs, oldest, by_configuration, shared }: ReusedRuns, planned: number): string {
  const arms = Object.entries(by_configuration).map(([name, count]) => `${count} ${name}`)
  const others = shared === undefined ? '' : `; ${shared} from the shared cache`
  return `${runs} of ${planned} runs reused (${arms.join(', ')}${others}; oldest ${oldest.slice(0, 10)})`
}
