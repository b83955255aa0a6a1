/** A plan and what it will take: what --dry-run prints, and what is asked about before a long or dear benchmark. */
import { planBench } from './bench.ts'
import type { FlowContext } from './context.ts'
import { type Estimate, estimateBench } from './estimate_bench.ts'
import type { BenchRequest, Prepared } from './prepare.ts'

export interface Planned extends Prepared {
  estimate: Estimate
}

/** Nothing is started, nothing written. Throws UserError. */
export async function planWithEstimate(request: BenchRequest, context: FlowContext): Promise<Planned> {
  const prepared = await planBench(request, context)
  return { ...prepared, estimate: await estimateBench(prepared, request) }
}
