/** aggregate: writes benchmark.json and the reports anew from the runs and gradings on disk. */
import path from 'node:path'
import { readPlan } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import { holdBenchmark } from './hold.ts'
import { type BenchResult, summarize } from './summarize.ts'

/** Throws UserError where the folder holds no plan.json. */
export async function aggregateAgain(benchmark: string, context: FlowContext): Promise<BenchResult> {
  const folder = path.resolve(benchmark)
  const plan = await readPlan(folder)
  await using held = await holdBenchmark(folder, context)
  return await summarize(folder, plan, held.context)
}
