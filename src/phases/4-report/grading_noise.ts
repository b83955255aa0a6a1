/** The same transcripts graded again: what part of the spread of the runs comes from grading. */
import type { BenchmarkRun } from '../../../schemas/benchmark.ts'
import type { Noise } from '../../../schemas/benchmark_statistics.ts'
import type { Grading } from '../../../schemas/grading.ts'
import type { Arms } from './arms.ts'
import type { AggregateInput } from './input.ts'
import { splitNoise } from './stats/noise.ts'
import { rulesApply, scoreOf, sideOf } from './stats/scored.ts'

/** A run that counts, and its id. */
export interface CountedRun {
  runId: string
  run: BenchmarkRun
}

/** Of the cases and arms of which a run was graded again by the same judge under the same criteria; null: of none. */
export function gradingNoise(
  runs: readonly CountedRun[],
  arms: Arms,
  results: AggregateInput['results'],
): Noise['grading'] {
  if (!runs.some(({ runId }) => results.get(runId)?.again)) return null
  const cells = new Map<string, number[][]>()
  for (const { runId, run } of runs) {
    if (sideOf(run, arms) === null) continue
    const { grading = null, again = [] } = results.get(runId) ?? {}
    const alike = again.filter((one) => isAlike(one, grading))
    const scores = [grading, ...alike].flatMap((one) => shareIn(one, rulesApply(arms)) ?? [])
    const key = `${run.eval_id} ${run.configuration}`
    const cell = cells.get(key) ?? []
    if (scores.length > 0) cell.push(scores)
    cells.set(key, cell)
  }
  return splitNoise([...cells.values()].filter((all) => all.some((scores) => scores.length > 1)))
}

/** Another judge, or other criteria, is no repetition; what was not wholly decided says nothing. */
function isAlike(one: Grading, first: Grading | null): boolean {
  return first !== null && one.graded_key === first.graded_key && isWhole(one) && isWhole(first)
}

function isWhole({ judge_errors }: Grading): boolean {
  return (judge_errors ?? []).length === 0
}

function shareIn(grading: Grading | null, byRule: boolean): number | null {
  return grading === null ? null : (scoreOf(grading.expectations, byRule)?.share ?? null)
}
