/** The span of a benchmark that went through a queue, sent by its coordinator where spans are asked for. */
import type { Plan } from '../../../schemas/plan.ts'
import type { FlowContext } from '../context.ts'
import { ownVersion } from '../eval/machine.ts'

/** Where the packages are absent it is left out, as runs are where a worker lacks them. */
export async function traceIfAsked(
  { benchmark, plan }: { benchmark: string; plan: Plan },
  { env, now }: Pick<FlowContext, 'env' | 'now'>,
): Promise<void> {
  const { isTraced, traceBenchmark } = await import('../observe/traces.ts')
  if (!isTraced(env)) return
  await traceBenchmark({ benchmark, plan, endedAt: now() }, { version: await ownVersion(), env }).catch(() => {})
}
