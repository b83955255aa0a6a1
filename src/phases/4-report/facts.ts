/** Where a benchmark comes from: what was run, on what, when, at what price. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { chosenText } from './chosen_text.ts'
import { reusedText } from './reused.ts'
import { dollars, plural } from './words.ts'

/** What is not known is left out. */
export function factsOf(benchmark: Benchmark): { name: string; value: string }[] {
  const { metadata, cost, counts, reused, chosen, runs } = benchmark
  const { engine, judge } = metadata
  const unasked = runs.length === 0 ? 'none: no run was graded' : 'none: code decided everything'
  const facts: [string, string | null][] = [
    ['skill', `${metadata.skill_name} (${metadata.skill_path})`],
    ['model', metadata.executor_model],
    ['engine', typeof engine === 'string' ? engine : null],
    ['judge', typeof judge === 'string' ? judge : judge === null ? unasked : null],
    ['notes by', metadata.analyzer_model],
    ['date', metadata.timestamp],
    ['cases', metadata.evals_run.join(', ')],
    ['chosen', chosen === undefined ? null : chosenText(chosen)],
    ['runs', runsText(metadata.runs_per_configuration, counts)],
    ['reused', reused && counts ? reusedText(reused, counts.planned) : null],
    ['cost', cost === undefined ? null : costText(cost)],
  ]
  return facts.flatMap(([name, value]) => (value === null || value === '' ? [] : { name, value }))
}

function runsText(each: number, counts: Benchmark['counts']): string {
  const planned = `${plural(each, 'run')} per case and configuration`
  return counts === undefined ? planned : `${planned}; ${counts.used} of ${counts.planned} in the rates`
}

function costText({ agent_usd, judge_usd, again_usd, unknown_runs }: NonNullable<Benchmark['cost']>): string {
  const agent = agent_usd === null ? 'agent unknown' : `agent ${dollars(agent_usd)}`
  const judge = judge_usd === null ? 'judge unknown' : `judge ${dollars(judge_usd)}`
  const unknown = unknown_runs === 0 || agent_usd === null ? '' : ` (${plural(unknown_runs, 'run')} of unknown cost)`
  const again = again_usd === undefined ? '' : `; graded again ${again_usd === null ? 'unknown' : dollars(again_usd)}`
  return `${agent}${unknown}, ${judge}${again}`
}
