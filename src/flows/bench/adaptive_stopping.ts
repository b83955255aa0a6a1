/** bench --until decided: runs the blocks up to the next interim analysis and continues only while the result is inconclusive. */
import type { UntilLook } from '../../../schemas/benchmark_statistics.ts'
import type { Plan } from '../../../schemas/plan.ts'
import type { CountedRun } from '../../store/store.ts'
import type { FlowContext } from '../flow_context.ts'
import { queueInPairs } from '../limits/limited_bench.ts'
import { reuseConcurrentRuns } from '../older_runs/reuse_concurrent_runs.ts'
import { testOlderRuns } from '../older_runs/test_older_runs.ts'
import { computeUntilState } from '../report/interim_analyses.ts'
import { readResults } from '../report/read_results.ts'
import { type Execution, execute } from '../run/execute.ts'

interface BlockExecution extends Execution {
  /** --baseline-age in milliseconds. An analysis assumes pairs of the same time, so all runs older than that are run again. */
  ageMs: number
}

/**
 * Like `execute`, block by block. Repeats the analyses of earlier starts in the same order, so that a resume gets the same results. Skips
 * the analysis if a run of the block has not ended: a limit, Ctrl-C, or an error for all runs.
 */
export async function executeUntilDecided(execution: BlockExecution, context: FlowContext): Promise<void> {
  const { plan, folder } = execution
  const results = new Map<string, CountedRun>()
  let state = computeUntilState(plan, results)
  let [from, told] = [0, 0]
  while (state.next !== null) {
    const to = state.next
    const block = { ...plan, runs: plan.runs.filter((run) => isOfBlocks(run, { from, to, plan })) }
    const { isHalted } = await executeBlock(execution, block, context)
    if (context.signal.aborted) return
    for (const [id, stored] of readResults(folder, block, context)) results.set(id, stored)
    state = computeUntilState(plan, results)
    for (const look of state.looks.slice(told)) {
      context.emit({ type: 'looked', ...lookEvent(look), next: state.next, reason: state.reason })
    }
    told = state.looks.length
    from = to
    if (isHalted || state.blocks < to || hasNoPair(state.looks)) return
  }
}

/** Reruns have numbers above those of all blocks, so they belong to the first. */
function isOfBlocks(
  { run_number: number }: Plan['runs'][number],
  { from, to, plan }: { from: number; to: number; plan: Plan },
): boolean {
  return (number > from && number <= to) || (from === 0 && number > plan.options.runs)
}

async function executeBlock(
  execution: BlockExecution,
  block: Plan,
  context: FlowContext,
): Promise<{ isHalted: boolean }> {
  const { cache, folder, ageMs } = execution
  const reuse = { plan: block, folder, cache: cache && { ...cache, plan: block }, ageMs, samples: false }
  const settled = await reuseConcurrentRuns(reuse, context)
  const limited = execution.limited && { ...execution.limited, queue: queueInPairs(block.runs) }
  limited?.spending.forget(settled)
  const inBlock = { ...execution, plan: block, settled, limited }
  return await testOlderRuns(inBlock, await execute(inBlock, context), context)
}

/** True if the last analysis had no new pair: whatever broke this block's runs would break the next block's. */
function hasNoPair(looks: readonly UntilLook[]): boolean {
  return (looks.at(-1)?.pairs ?? 0) === (looks.at(-2)?.pairs ?? 0)
}

function lookEvent({ verdict: _, ...look }: UntilLook) {
  return look
}
