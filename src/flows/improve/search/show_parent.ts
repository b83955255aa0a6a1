/** Runs the version so far on training cases, for the proposers to read. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import { sampleMean } from '../../../phases/4-report/stats/numbers/moments.ts'
import { type ScoredRun, scoredCases } from '../../../phases/4-report/stats/scores/scored_runs.ts'
import { type NumberedRun, numberRuns, takeTurns } from '../../../phases/5-improve/search/draw_mixes.ts'
import type { RoundBudget } from '../../../phases/5-improve/search/plan_session.ts'
import type { FlowContext } from '../../flow_context.ts'
import { emitImproveStep, type ImproveSession, runBenchStep } from '../session/session.ts'

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
  /** Many runs of training cases, and every run passed everything: nothing is left to learn. */
  isSolved: boolean
}

/** In a suite with more training cases this many passed runs are enough. */
const solvedRuns = 20

interface ShowRequest {
  round: number
  parent: string
  budget: Pick<RoundBudget, 'mostShown' | 'mostPassing'>
  /** Whether a version that passes everything needs no further edits. */
  isEndedByPasses: boolean
  random: () => number
}

/** Runs a part of the training cases, and more while all runs pass: without a failure there is nothing to learn. */
export async function showParent(
  session: ImproveSession,
  { round, parent, budget, isEndedByPasses, random }: ShowRequest,
  context: FlowContext,
): Promise<ShownRuns> {
  const { train } = session.split
  const most = isEndedByPasses ? budget.mostPassing : budget.mostShown
  const order = numberRuns(takeTurns(train, most, random))
  const steps = [await runCases(session, { round, parent, order: order.slice(0, budget.mostShown) }, context)]
  for (let done = budget.mostShown; done < order.length; done += train.length) {
    if (!steps.every(({ runs }) => isAllPassed(runs))) break
    const next = order.slice(done, done + train.length)
    steps.push(await runCases(session, { round, parent, order: next }, context))
  }
  const runs = steps.flatMap((one) => one.runs)
  return {
    folders: steps.map(({ folder }) => folder),
    runs,
    passRate: runs.length === 0 ? null : sampleMean(runs.map(({ run }) => run.share)),
    isSolved: runs.length === order.length && order.length >= Math.min(train.length, solvedRuns) && isAllPassed(runs),
  }
}

function isAllPassed(runs: readonly SearchRun[]): boolean {
  return runs.every(({ run }) => run.allPassed)
}

async function runCases(
  session: ImproveSession,
  { round, parent, order }: { round: number; parent: string; order: readonly NumberedRun[] },
  context: FlowContext,
): Promise<{ folder: string; runs: SearchRun[] }> {
  const cases = [...new Set(order.map(({ evalId }) => evalId))]
  const all = session.split.train.length
  const which = cases.length === all ? `all ${all}` : `${cases.length} of ${all}`
  const isFirst = order.every(({ number }) => number === 1)
  const message = isFirst
    ? `running ${parent} on ${which} training cases; the proposers will read these runs`
    : `every run of ${parent} passed so far: ${order.length} more runs on training cases`
  emitImproveStep(context, { round, step: 'show', version: parent, message })
  const isAsked = (evalId: number, number: number) =>
    order.some((one) => one.evalId === evalId && one.number === number)
  const { folder, benchmark } = await runBenchStep(
    session,
    {
      ...{ candidate: parent, against: parent, cases, isSearch: true },
      runs: Math.max(...order.map(({ number }) => number)),
      choose: ({ eval_id, run_number, configuration }, planned) =>
        configuration === 'new_skill' && isAsked(eval_id, run_number) ? planned : null,
    },
    context,
  )
  return { folder, runs: listScoredRuns(benchmark) }
}

export function listScoredRuns({ runs }: Pick<Benchmark, 'runs'>): SearchRun[] {
  return scoredCases(runs, { candidate: 'new_skill', baseline: 'old_skill' }).flatMap(({ evalId, runs: own }) =>
    [...own.candidate, ...own.baseline].map((run) => ({ evalId, run })),
  )
}
