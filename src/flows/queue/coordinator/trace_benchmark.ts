/** The coordinator sends the span of a benchmark that used a queue, if tracing is on. */
import type { Plan } from '../../../../schemas/plan.ts'
import type { FlowContext } from '../../flow_context.ts'
import { readWhetstoneVersion } from '../../report/describe_machine.ts'
import { isTraced, traceBenchmark } from '../observe/traces.ts'

/** Does nothing without the packages, as workers do for runs. */
export async function traceIfEnabled(
  { benchmark, plan }: { benchmark: string; plan: Plan },
  { env, now }: Pick<FlowContext, 'env' | 'now'>,
): Promise<void> {
  if (!isTraced(env)) return
  await traceBenchmark({ benchmark, plan, endedAt: now() }, { version: await readWhetstoneVersion(), env }).catch(
    () => {},
  )
}
