/** aggregate: writes benchmark.json and the reports anew from the runs and gradings on disk. */
import path from 'node:path'
import { readPlan } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import { type BenchResult, summarize } from './summarize.ts'

/** Throws UserError where the folder holds no plan.json. */
export async function aggregateAgain(benchmark: string, context: FlowContext): Promise<BenchResult> {
  const folder = path.resolve(benchmark)
  return summarize(folder, await readPlan(folder), context)
}
