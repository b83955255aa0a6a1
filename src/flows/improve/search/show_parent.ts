/** Runs the version so far on training cases, for the proposers to read. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { sampleMean } from '../../../phases/4-report/stats/numbers/moments.ts'
import { type ScoredRun, scoredCases } from '../../../phases/4-report/stats/scores/scored_runs.ts'
import { takeTurns } from '../../../phases/5-improve/search/draw_mixes.ts'
import type { FlowContext } from '../../flow_context.ts'
import { runBenchStep } from '../bench_step.ts'
import { emitImproveStep, type ImproveSession } from '../session/session.ts'

export interface SearchRun {
  evalId: number
  run: ScoredRun
}

export interface ShownRuns {
  /** Benchmarks, relative to the workspace. */
  folders: string[]
  runs: SearchRun[]
  /** null: no run was graded. */
  passRate: number | null
  /** Every training case was run, and every run passed everything. */
  isSolved: boolean
}

interface ShowRequest {
  round: number
  parent: string
  /** Runs, unless all of them pass. */
  most: number
  /** Whether a version that passes everything needs no further edits. */
  isEndedByPasses: boolean
  random: () => number
}

/** Runs a part of the training cases; if nothing fails there, the others too: without a failure there is nothing to learn. */
export async function showParent(
  session: ImproveSession,
  { round, parent, most, isEndedByPasses, random }: ShowRequest,
  context: FlowContext,
): Promise<ShownRuns> {
  const { train } = session.split
  const order = takeTurns(train, train.length, random)
  const first = await runCases(session, { round, parent, cases: order.slice(0, most) }, context)
  const others = order.slice(most)
  const more =
    isEndedByPasses && others.length > 0 && isAllPassed(first.runs)
      ? [await runCases(session, { round, parent, cases: others }, context)]
      : []
  const runs = [first, ...more].flatMap((one) => one.runs)
  return {
    folders: [first, ...more].map(({ folder }) => folder),
    runs,
    passRate: runs.length === 0 ? null : sampleMean(runs.map(({ run }) => run.share)),
    isSolved: runs.length === train.length && isAllPassed(runs),
  }
}

function isAllPassed(runs: readonly SearchRun[]): boolean {
  return runs.every(({ run }) => run.allPassed)
}

async function runCases(
  session: ImproveSession,
  { round, parent, cases }: { round: number; parent: string; cases: readonly number[] },
  context: FlowContext,
): Promise<{ folder: string; runs: SearchRun[] }> {
  const all = session.split.train.length
  const which = cases.length === all ? `all ${all}` : `${cases.length} of ${all}`
  const message = `running ${parent} on ${which} training cases; the proposers will read these runs`
  emitImproveStep(context, { round, step: 'show', version: parent, message })
  const { folder, benchmark } = await runBenchStep(
    session,
    {
      ...{ candidate: parent, against: parent, cases, runs: 1, isSearch: true },
      choose: ({ configuration }, planned) => (configuration === 'new_skill' ? planned : null),
    },
    context,
  )
  return { folder, runs: listScoredRuns(benchmark) }
}

/** The graded runs of both configurations of a search benchmark. */
export function listScoredRuns({ runs }: Pick<Benchmark, 'runs'>): SearchRun[] {
  return scoredCases(runs, { candidate: 'new_skill', baseline: 'old_skill' }).flatMap(({ evalId, runs: own }) =>
    [...own.candidate, ...own.baseline].map((run) => ({ evalId, run })),
  )
}
