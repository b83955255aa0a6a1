/** The table of statements that have fractional scores: the mean score of each configuration. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { armNames, findArms } from '../benchmark/arms.ts'
import { formatFixed } from '../stats/numbers/round.ts'
import { formatConfiguration } from './format.ts'

/** null: no verdict has a score of its own. */
export function scoreTable(benchmark: Benchmark): { header: string[]; rows: string[][] } | null {
  const scored = (benchmark.statistics?.expectations ?? []).filter(
    ({ candidate, baseline }) => candidate.score !== undefined || baseline.score !== undefined,
  )
  if (scored.length === 0) return null
  const names = new Map(benchmark.runs.map(({ eval_id, eval_name }) => [eval_id, eval_name]))
  const arms = findArms(benchmark)
  return {
    header: ['case', 'statement', ...armNames(arms).map(formatConfiguration)],
    rows: scored.map(({ eval_id, text, diagnostic, candidate, baseline }) => [
      `${eval_id} ${names.get(eval_id) ?? ''}`,
      diagnostic === true ? `${text} (diagnostic)` : text,
      ...(arms.candidate === null ? [] : [formatScore(candidate.score)]),
      ...(arms.baseline === null ? [] : [formatScore(baseline.score)]),
    ]),
  }
}

function formatScore(score: number | undefined): string {
  return score === undefined ? '–' : formatFixed(score, 2)
}
