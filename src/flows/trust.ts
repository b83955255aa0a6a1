/** What a benchmark says of its judge besides the grades: blind comparisons. */
import type { Benchmark } from '../../schemas/benchmark.ts'
import type { Plan } from '../../schemas/plan.ts'
import type { FlowContext } from './context.ts'
import { comparisonsOf } from './summarize_comparisons.ts'

/** The parts of benchmark.json that are made from other files than gradings. */
export function trustOf(folder: string, plan: Plan, context: FlowContext): Pick<Benchmark, 'comparison'> {
  const comparison = comparisonsOf(folder, plan, (damage) =>
    context.emit({ type: 'artefact_damaged', ...damage, mended: 'left out; the same command makes it anew' }),
  )
  return comparison === null ? {} : { comparison }
}
