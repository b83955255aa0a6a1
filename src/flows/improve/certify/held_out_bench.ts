/** Runs the best version and v0 in fresh pairs on the held-out cases. */
import type { FlowContext } from '../../flow_context.ts'
import { type BenchStepResult, type ImproveBenchStep, runBenchStep } from '../bench_step.ts'
import type { ImproveSession } from '../session/session.ts'

/** The step of `runs` runs: each held-out case gets as many pairs as the others, or one more. */
export function heldOutStep(
  heldOut: readonly number[],
  { best, runs, settings }: { best: string; runs: number; settings?: ImproveBenchStep['settings'] },
): ImproveBenchStep {
  const pairs = Math.max(1, Math.floor(runs / 2))
  const [each, more] = [Math.floor(pairs / heldOut.length), pairs % heldOut.length]
  const pairsOf = new Map(heldOut.map((id, at) => [id, each + (at < more ? 1 : 0)]))
  return {
    ...{ candidate: best, against: 'v0', isSearch: false },
    cases: heldOut.filter((id) => (pairsOf.get(id) ?? 0) > 0),
    runs: each + (more > 0 ? 1 : 0),
    choose: ({ eval_id, run_number }, planned) => (run_number <= (pairsOf.get(eval_id) ?? 0) ? planned : null),
    ...(settings && { settings }),
  }
}

/** Throws StepStopped. */
export async function benchHeldOut(
  session: ImproveSession,
  asked: Parameters<typeof heldOutStep>[1],
  context: FlowContext,
): Promise<BenchStepResult> {
  return await runBenchStep(session, heldOutStep(session.split.held_out, asked), context)
}
