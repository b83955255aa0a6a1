/** bench --until decided: releases the blocks up to the next look, looks, and goes on only while nothing is decided. */
import type { Until, UntilLook } from '../../schemas/benchmark_statistics.ts'
import type { Plan } from '../../schemas/plan.ts'
import { type Released, releasedOf } from '../phases/4-report/until.ts'
import { openLayer } from '../store/lay_runs.ts'
import type { CountedRun } from '../store/store.ts'
import type { FlowContext } from './context.ts'
import { type Execution, execute } from './execute.ts'
import { queueInPairs } from './limited.ts'
import { readResults } from './results.ts'
import { reuseRuns } from './reuse.ts'
import { aggregateInput } from './summarize.ts'

/**
 * As `execute`, block by block. What an earlier start has done is looked at again in the same order, so that a resume comes
 * to the same looks. Ends without a look where a run of the block has not ended: a limit, Ctrl-C, an error for all runs.
 */
export async function executeUntil(execution: Execution, context: FlowContext): Promise<void> {
  const { plan, folder } = execution
  const results = new Map<string, CountedRun>()
  let state = stateOf(plan, results)
  let [from, told] = [0, 0]
  while (state.next !== null) {
    const to = state.next
    const block = { ...plan, runs: plan.runs.filter((run) => isOfBlocks(run, { from, to, plan })) }
    const { isHalted } = await executeBlock(execution, block, context)
    if (context.signal.aborted) return
    for (const [id, stored] of readResults({ folder, plan: block }, context)) results.set(id, stored)
    state = stateOf(plan, results)
    for (const look of state.looks.slice(told)) {
      context.emit({ type: 'looked', ...lookEvent(look), next: state.next, reason: state.reason })
    }
    told = state.looks.length
    from = to
    if (isHalted || state.blocks < to || hasNoPair(state.looks)) return
  }
}

/** The runs of the plan up to the look that ended it, or up to the next one. */
export function releasedRuns(plan: Plan, results: ReadonlyMap<string, CountedRun>): Plan['runs'] {
  const ids = new Set(released(plan, results).planned.map(({ run_id }) => run_id))
  return plan.runs.filter(({ run_id }) => ids.has(run_id))
}

/** Blocks until the first look. */
export function firstLook(plan: Plan): number {
  return stateOf(plan, new Map()).next ?? plan.options.runs
}

/** Reruns, whose numbers are above those of all blocks, go with the first. */
function isOfBlocks(
  { run_number: number }: Plan['runs'][number],
  { from, to, plan }: { from: number; to: number; plan: Plan },
): boolean {
  return (number > from && number <= to) || (from === 0 && number > plan.options.runs)
}

async function executeBlock(execution: Execution, block: Plan, context: FlowContext): Promise<{ isHalted: boolean }> {
  const { cache } = execution
  await using layer = openLayer(block.runs.length)
  const settled = await reuseRuns(cache && { ...cache, plan: block }, context, { layer, details: null })
  const limited = execution.limited && { ...execution.limited, queue: queueInPairs(block.runs) }
  limited?.spending.forget(settled)
  return await execute({ ...execution, plan: block, settled, limited }, context)
}

/** A look at nothing new: whatever broke the runs of this block would break those of the next. */
function hasNoPair(looks: readonly UntilLook[]): boolean {
  return (looks.at(-1)?.pairs ?? 0) === (looks.at(-2)?.pairs ?? 0)
}

function stateOf(plan: Plan, results: ReadonlyMap<string, CountedRun>): Until {
  return released(plan, results).until
}

function released(plan: Plan, results: ReadonlyMap<string, CountedRun>): Released {
  const input = aggregateInput(plan, results)
  const found = releasedOf(input, { candidate: input.candidate, baseline: input.baseline })
  if (found === null) throw new Error(`${plan.plan_id}: not a plan that is stopped by looks`)
  return found
}

function lookEvent({ blocks, pairs, wins, losses, e_value, status }: UntilLook) {
  return { blocks, pairs, wins, losses, e_value, status }
}
