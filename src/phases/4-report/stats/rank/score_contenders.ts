/** The scores of each contender by case and block, from the plan of a race and its graded runs. */
import type { BenchmarkRun } from '../../../../../schemas/benchmark.ts'
import type { AggregateInput, PlannedRun } from '../../benchmark/aggregate_input.ts'
import { classifyRuns, keepCountingRuns, type RunOutcome } from '../../benchmark/classify_runs.ts'
import { type ScoredCase, scoredCases } from '../scores/scored_runs.ts'
import type { BlockScores } from './compare_contenders.ts'

export interface ScoredContender {
  /** The cases that count, in the same order for all. */
  cases: BlockScores[]
  /** Blocks whose runs have all ended. */
  finished: number
  /** Runs with a score, and those that ended without one. */
  runs: number
  leftOut: number
}

/** `planned`: with the contender's name as the configuration. A run that is missing or was cancelled keeps its block open. */
export function scoreContenders(
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
  const byBlock = new Map(one?.runs.candidate.map(({ run, share }) => [blockOf(run), share]))
  return {
    scores: Array.from({ length: blocks }, (_, at) => byBlock.get(at + 1) ?? null),
    expectations: one?.expectations ?? 1,
  }
}

function blockOf({ run_number }: BenchmarkRun): number {
  return run_number
}
