/** Checks that engine, judge, prices and other machines work before the first paid run; --dry-run takes the same steps. */
import type { FlowContext } from '../../flows/flow_context.ts'
import { noLimits } from '../../flows/limits/limits.ts'
import { requirePricing } from '../../flows/limits/require_prices.ts'
import { preflight } from '../../flows/prepare/preflight.ts'
import type { PreparedBench } from '../../flows/prepare/prepare_bench.ts'
import { planEveryCase, refuseStrayFiles } from '../../flows/versions/check_versions_start.ts'
import type { PruneSession } from './open_prune.ts'

/** Every case with the skill and without it, once. Throws UserError or IncompleteError. */
export async function checkPruneStart(
  { request: { bench }, skill }: PruneSession,
  context: FlowContext,
): Promise<PreparedBench> {
  const prepared = await planEveryCase(bench, skill, context)
  const { engine, judge } = prepared.plan.options
  await refuseStrayFiles([engine])
  await requirePricing(prepared.plan.options, bench.limits ?? noLimits, context)
  await preflight({ '--model': engine, '--judge': judge }, bench.passEnv, context)
  await bench.remote?.reach(context)
  return prepared
}
