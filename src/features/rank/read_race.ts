/** Reads how far a race is: the runs on disk give the same looks each time, so a resume goes on where it stopped. */
import type { Rank } from '../../../schemas/rank.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { readResults } from '../../flows/report/benchmark_ending.ts'
import type { AggregateInput, PlannedRun } from '../../phases/4-report/benchmark/aggregate_input.ts'
import { classifyRuns, keepCountingRuns, type RunOutcome } from '../../phases/4-report/benchmark/classify_runs.ts'
import { judgeCost } from '../../phases/4-report/benchmark/cost.ts'
import { type ScoredCase, scoredCases } from '../../phases/4-report/stats/scores/scored_runs.ts'
import type { CountedRun } from '../../store/store.ts'
import type { PreparedRank } from './prepare_rank.ts'
import { contenderFolder } from './rank_plan.ts'
import { type BlockScores, compareByScores } from './stats/compare_contenders.ts'
import { type Race, race } from './stats/race.ts'
import type { RankedInput } from './stats/rank_result.ts'

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

interface ScoredContender {
  /** The cases that count, in the same order for all. */
  cases: BlockScores[]
  /** Blocks whose runs have all ended. */
  finished: number
  /** Runs with a score, and those that ended without one. */
  runs: number
  leftOut: number
}

/** `planned`: with the contender's name as the configuration. A run that is missing or was cancelled keeps its block open. */
function scoreContenders(
  input: Pick<AggregateInput, 'planned' | 'cases' | 'results' | 'onTimeout'>,
  names: readonly string[],
  blocks: number,
): ScoredContender[] {
  const counting = keepCountingRuns(input)
  const ids = [...new Set(counting.map(({ eval_id }) => eval_id))].sort((a, b) => a - b)
  const outcomes = classifyRuns(counting, { ...input, ...unusedFacts }, groupByBlock)
  return names.map((name) => {
    const own = outcomes.filter(({ run }) => run.configuration === name)
    const used = own.flatMap((one) => (one.status === 'used' ? [one.run] : []))
    const scored = new Map(scoredCases(used, { candidate: name, baseline: null }).map((one) => [one.evalId, one]))
    const open = own.filter(isOpen)
    return {
      cases: ids.map((id) => toBlockScores(scored.get(id), blocks)),
      finished: Math.min(blocks, ...open.map(({ run }) => run.run_number - 1)),
      runs: used.length,
      leftOut: own.length - used.length - open.length,
    }
  })
}

/** An earlier look must see its blocks exactly as they were then. */
const groupByBlock = ({ eval_id, run_number }: PlannedRun) => `${eval_id} ${run_number}`

/** Needed by the type alone: they shape no outcome. */
const unusedFacts = {
  metadata: {
    skillName: '',
    skillPath: '',
    executorModel: '',
    analyzerModel: '',
    timestamp: '',
    runsPerConfiguration: 0,
  },
  candidate: '',
  baseline: null,
}

function isOpen(outcome: RunOutcome): boolean {
  return outcome.status === 'excluded' && (outcome.run.reason === 'missing' || outcome.run.reason === 'cancelled')
}

function toBlockScores(one: ScoredCase | undefined, blocks: number): BlockScores {
  const byBlock = new Map(one?.runs.candidate.map(({ run, share }) => [run.run_number, share]))
  return {
    scores: Array.from({ length: blocks }, (_, at) => byBlock.get(at + 1) ?? null),
    expectations: one?.expectations ?? 1,
  }
}
