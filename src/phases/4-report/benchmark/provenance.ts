/** The provenance of a benchmark: what ran, on which engine and model, when, at what cost, and what was reused. */
import type { Benchmark, ReusedRuns } from '../../../../schemas/benchmark.ts'
import type { CountedRecord } from '../../../../schemas/run.ts'
import { countEach, sum } from '../../../base/totals.ts'
import { round } from '../stats/numbers/round.ts'
import { usualOptions } from '../stats/statistics_options.ts'
import { formatPlural } from '../text/format.ts'
import { chosenText } from '../text/selected_cases.ts'
import { costText } from './cost.ts'
import { olderRunsTexts } from './older_runs/stale_runs.ts'

/** Unknown facts are omitted. */
export function listBenchmarkFacts(benchmark: Benchmark): { name: string; value: string }[] {
  const { metadata, cost, counts, reused, chosen, runs, statistics } = benchmark
  const { engine, engine_version: version, judge } = metadata
  const agent = [engine, version].filter((one) => typeof one === 'string').join(' ')
  const unasked = runs.length === 0 ? 'none: no run was graded' : 'none: code decided everything'
  const facts: [string, string | null][] = [
    ['skill', `${metadata.skill_name} (${metadata.skill_path})`],
    ['model', metadata.executor_model],
    ['engine', agent],
    ['judge', typeof judge === 'string' ? judge : judge === null ? unasked : null],
    ['notes written by', metadata.analyzer_model === 'rules' ? 'fixed rules, no model' : metadata.analyzer_model],
    ['date', metadata.timestamp.replace(/^(\S{10})T(\d\d:\d\d)\S*Z$/, '$1 $2 UTC')],
    ['cases', metadata.evals_run.join(', ')],
    ['chosen', chosen === undefined ? null : chosenText(chosen)],
    ['runs', runsText(benchmark)],
    ['reused', reused && counts ? reusedText(reused, counts.planned) : null],
    ['older runs', statistics?.older_runs ? olderRunsTexts(statistics.older_runs).join('; ') : null],
    ['cost', cost === undefined ? null : costText(cost)],
  ]
  return facts.flatMap(([name, value]) => (value === null || value === '' ? [] : { name, value }))
}

function runsText({ observational, counts, metadata }: Benchmark): string {
  if (observational === true && counts !== undefined) return formatPlural(counts.planned, 'recorded session')
  return `${formatPlural(metadata.runs_per_configuration, 'run')} per case and configuration`
}

/** null: none. The cost is null unless it is known for each run. */
export function summarizeReusedRuns(records: readonly (CountedRecord | null)[], looks = 1): ReusedRuns | null {
  const reused = records.flatMap((record) => (record?.cached_from ? { ...record, at: record.cached_from.at } : []))
  const [first] = reused
  if (first === undefined) return null
  const shared = reused.filter(({ cached_from: from }) => from?.shared).length
  const costs = reused.flatMap(({ cost }) => cost?.usd ?? [])
  return {
    runs: reused.length,
    oldest: reused.map(({ at }) => at).sort()[0] ?? first.at,
    by_configuration: Object.fromEntries(countEach(reused.map(({ configuration }) => configuration))),
    ...(shared > 0 && { shared }),
    ...(looks > 1 && { looks }),
    agent_usd: costs.length < reused.length ? null : round(sum(costs), 6),
  }
}

/** "24 of 48 runs reused (24 without_skill; 12 from the shared cache; oldest 2026-11-20)". */
export function reusedText({ runs, oldest, by_configuration, shared, looks }: ReusedRuns, planned: number): string {
  const arms = Object.entries(by_configuration).map(([name, count]) => `${count} ${name}`)
  const others = shared === undefined ? '' : `; ${shared} from the shared cache`
  const look = looks === undefined ? '' : `; ${lookText(looks)}`
  return `${runs} of ${planned} runs reused (${arms.join(', ')}${others}; oldest ${oldest.slice(0, 10)}${look})`
}

/** The verdict at an earlier look had its own chance to be wrong, so each further look gets half of it. */
export function alphaOfLook(looks: number): number {
  return usualOptions.alpha / 2 ** (looks - 1)
}

/** "look 2 at the same runs: tested at 2.5%". */
export function lookText(looks: number): string {
  return `look ${looks} at the same runs: tested at ${Number((100 * alphaOfLook(looks)).toFixed(2))}%`
}
