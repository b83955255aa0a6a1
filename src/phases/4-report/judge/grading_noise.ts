/** Repeated gradings of the same transcripts: which part of the variation between runs comes from grading. */
import type { BenchmarkRun } from '../../../../schemas/benchmark.ts'
import type { Noise } from '../../../../schemas/benchmark_statistics.ts'
import type { Grading } from '../../../../schemas/grading.ts'
import type { AggregateInput } from '../benchmark/aggregate_input.ts'
import type { BenchmarkArms } from '../benchmark/arms.ts'
import { dialogueVariance, splitNoise } from '../stats/scores/noise.ts'
import { findArmSide, rulesApply, scoreExpectations } from '../stats/scores/scored_runs.ts'

/** A run that counts, with its id. */
export interface UsedRun {
  runId: string
  run: BenchmarkRun
}

/** Over the cases and configurations with a run that the same judge graded again under the same criteria; null: none. */
export function gradingNoise(
  runs: readonly UsedRun[],
  arms: BenchmarkArms,
  results: AggregateInput['results'],
): Noise['grading'] {
  if (!runs.some(({ runId }) => results.get(runId)?.again)) return null
  const cells = new Map<string, { scores: number[]; dialogue: string | null }[]>()
  for (const { runId, run } of runs) {
    if (findArmSide(run, arms) === null) continue
    const { grading = null, again = [], record = null } = results.get(runId) ?? {}
    const alike = again.filter((one) => isAlike(one, grading))
    const scores = [grading, ...alike].flatMap((one) => readPassedShare(one, rulesApply(arms)) ?? [])
    const key = `${run.eval_id} ${run.configuration}`
    const cell = cells.get(key) ?? []
    const dialogue = record?.conversation?.turns.map(({ prompt }) => prompt) ?? null
    if (scores.length > 0) cell.push({ scores, dialogue: dialogue && JSON.stringify(dialogue) })
    cells.set(key, cell)
  }
  const repeated = [...cells.values()].filter((all) => all.some(({ scores }) => scores.length > 1))
  const noise = splitNoise(repeated.map((all) => all.map(({ scores }) => scores)))
  const conversations = repeated
    .map((all) => all.flatMap(({ scores, dialogue }) => (dialogue === null ? [] : { scores, dialogue })))
    .filter((all) => all.length > 0)
  if (noise === null || conversations.length === 0) return noise
  return { ...noise, dialogue_variance: dialogueVariance(conversations) }
}

/** Another judge or other criteria is not a repetition; a grading with undecided expectations does not count. */
function isAlike(one: Grading, first: Grading | null): boolean {
  return first !== null && one.graded_key === first.graded_key && isWhole(one) && isWhole(first)
}

function isWhole({ judge_errors }: Grading): boolean {
  return (judge_errors ?? []).length === 0
}

function readPassedShare(grading: Grading | null, byRule: boolean): number | null {
  return grading === null ? null : (scoreExpectations(grading.expectations, byRule)?.share ?? null)
}
