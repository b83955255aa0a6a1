/** Reads how far a race is: the runs on disk give the same looks each time, so a resume goes on where it stopped. */
import type { Rank } from '../../../schemas/rank.ts'
import { contenderFolder } from '../../phases/1-plan/plan/rank_plan.ts'
import { judgeCost } from '../../phases/4-report/benchmark/cost.ts'
import { compareByScores } from '../../phases/4-report/stats/rank/compare_contenders.ts'
import { type Race, race } from '../../phases/4-report/stats/rank/race.ts'
import type { RankedInput } from '../../phases/4-report/stats/rank/rank_result.ts'
import { scoreContenders } from '../../phases/4-report/stats/rank/score_contenders.ts'
import type { CountedRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { readResults } from '../report/read_results.ts'
import type { PreparedRank } from './prepare_rank.ts'

export interface RaceSoFar {
  race: Race
  contenders: RankedInput[]
  cost: Rank['cost']
}

export function readRace(folder: string, prepared: PreparedRank, context: FlowContext): RaceSoFar {
  const { plan, contenders, design } = prepared
  const results = readResults(folder, plan, context)
  const names = contenders.map((one) => one.folder)
  const planned = plan.runs.map((run) => ({ ...run, configuration: contenderFolder(run) }))
  const input = { planned, cases: plan.cases, results, onTimeout: plan.options.on_timeout }
  const scored = scoreContenders(input, names, plan.options.runs)
  const all = scored.map(({ cases }) => cases)
  const finished = scored.map((one) => one.finished)
  return {
    race: race(design, finished, compareByScores(all)),
    contenders: contenders.map(({ name, source, sha256, engine, folder: own }, at) => ({
      ...{ name, source, sha256, engine },
      scores: scored[at]?.cases ?? [],
      runs: scored[at]?.runs ?? 0,
      leftOut: scored[at]?.leftOut ?? 0,
      costUsd: contenderCost(pickResults(results, own)),
    })),
    cost: totalCost([...results.values()]),
  }
}

function pickResults(results: ReadonlyMap<string, CountedRun>, folder: string): CountedRun[] {
  return [...results].flatMap(([run_id, result]) => (contenderFolder({ run_id }) === folder ? [result] : []))
}

/** Agent and judge; null: a part is unknown. */
function contenderCost(results: readonly CountedRun[]): number | null {
  let sum = 0
  for (const { record, grading } of results) {
    const judge = judgeCost(grading?.judge ? [grading.judge] : [])
    if (record.cost === null || judge === null) return null
    sum += record.cost.usd + judge
  }
  return results.length === 0 ? null : sum
}

function totalCost(results: readonly CountedRun[]): Rank['cost'] {
  const known = results.flatMap(({ record }) => record.cost?.usd ?? [])
  return {
    agent_usd: known.length === 0 ? null : known.reduce((sum, one) => sum + one, 0),
    judge_usd: judgeCost(results.flatMap(({ grading }) => grading?.judge ?? [])),
    unknown_runs: results.length - known.length,
  }
}
