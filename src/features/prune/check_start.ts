/** Checks that engine, judge, prices and other machines work before the first paid run; --dry-run takes the same steps. */
import { openTempDir } from '../../base/fs/temp_dir.ts'
import { findEngine } from '../../engines/table.ts'
import { planBench } from '../../flows/bench/bench.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { noLimits } from '../../flows/limits/limits.ts'
import { requirePricing } from '../../flows/limits/require_prices.ts'
import { refuseStrayInstructions } from '../../flows/prepare/check_start.ts'
import { preflight, throwRefusal } from '../../flows/prepare/preflight.ts'
import type { PreparedBench } from '../../flows/prepare/prepare_bench.ts'
import type { PruneSession } from './open_prune.ts'

/** Every case with the skill and without it, once. Throws UserError or IncompleteError. */
export async function checkPruneStart(
  { request: { bench }, skill }: PruneSession,
  context: FlowContext,
): Promise<PreparedBench> {
  const asked = { ...bench, skill: skill.path, baseline: null, cases: [], runs: 1, fresh: false, cache: false }
  const prepared = await planBench(asked, context, throwRefusal)
  const { engine, judge } = prepared.plan.options
  if (engine.name !== 'auto' && findEngine(engine.name).readsAbove !== false) {
    await using scratch = await openTempDir()
    await refuseStrayInstructions(scratch.path)
  }
  await requirePricing(prepared.plan.options, bench.limits ?? noLimits, context)
  await preflight({ '--model': engine, '--judge': judge }, bench.passEnv, context)
  await bench.remote?.reach(context)
  return prepared
}
