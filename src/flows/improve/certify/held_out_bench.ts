/** Runs the best version and v0 in fresh pairs on the held-out cases. */
import { createSeededRandom } from '../../../phases/4-report/stats/distributions/seeded_random.ts'
import { takeTurns } from '../../../phases/5-improve/search/draw_mixes.ts'
import { dividePairs } from '../../../phases/5-improve/search/plan_session.ts'
import type { FlowContext } from '../../flow_context.ts'
import type { BenchStepResult } from '../../versions/bench_versions.ts'
import { type ImproveBenchStep, runBenchStep } from '../bench_step.ts'
import type { ImproveSession } from '../session/session.ts'

/** The step of `runs` runs. If they are too few for an equal number of pairs, the first cases get one more. */
export function heldOutStep(
  heldOut: readonly number[],
  { best, runs, settings }: { best: string; runs: number; settings?: ImproveBenchStep['settings'] },
): ImproveBenchStep {
  const pairsOf = dividePairs(heldOut, runs)
  return {
    ...{ candidate: best, against: 'v0', isSearch: false },
    cases: heldOut.filter((id) => (pairsOf.get(id) ?? 0) > 0),
    runs: Math.max(...pairsOf.values()),
    choose: ({ eval_id, run_number }, planned) => (run_number <= (pairsOf.get(eval_id) ?? 0) ? planned : null),
    ...(settings && { settings }),
  }
}

/** The order of the cases is random: their ids often follow their subject. Throws StepStopped. */
export async function benchHeldOut(
  session: ImproveSession,
  asked: Parameters<typeof heldOutStep>[1],
  context: FlowContext,
): Promise<BenchStepResult> {
  const { held_out, seed } = session.split
  const cases = takeTurns(held_out, held_out.length, createSeededRandom(seed))
  return await runBenchStep(session, heldOutStep(cases, asked), context)
}
