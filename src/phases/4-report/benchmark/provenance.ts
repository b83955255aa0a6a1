/** The provenance of a benchmark: what ran, on which engine and model, when, and at what cost. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { formatDollars, formatPlural } from '../text/format.ts'
import { chosenText } from '../text/selected_cases.ts'
import { reusedText } from './cached_runs.ts'
import { olderRunsTexts } from './older_runs/older_runs_text.ts'

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

function costText({
  agent_usd,
  judge_usd,
  user_usd,
  again_usd,
  unknown_runs,
  prices,
}: NonNullable<Benchmark['cost']>): string {
  const agent = agent_usd === null ? 'agent not reported' : `agent ${formatDollars(agent_usd)}`
  const judge = judge_usd === null ? 'judge not reported' : `judge ${formatDollars(judge_usd)}`
  const unknown =
    unknown_runs === 0 || agent_usd === null ? '' : ` (${formatPlural(unknown_runs, 'run')} without a reported cost)`
  const again =
    again_usd === undefined ? '' : `; graded again ${again_usd === null ? 'not reported' : formatDollars(again_usd)}`
  const own = prices === undefined ? '' : ` (by the prices of ${prices.join(', ')})`
  const user = user_usd === undefined ? '' : `, user ${user_usd === null ? 'not reported' : formatDollars(user_usd)}`
  return `${agent}${unknown}, ${judge}${user}${again}${own}`
}
