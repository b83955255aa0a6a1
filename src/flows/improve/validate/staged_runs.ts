/** Executes a plan in stages that add runs, and stops after the first stage with enough. */
import type { Benchmark } from '../../../../schemas/benchmark.ts'
import type { Plan, RunSpec } from '../../../../schemas/plan.ts'
import { type PairedCase, pairCases } from '../../../phases/4-report/acceptance/compared_case.ts'
import { aggregate } from '../../../phases/4-report/benchmark/aggregate.ts'
import { writePlan } from '../../../store/store.ts'
import type { FlowContext } from '../../flow_context.ts'
import { queueInPairs } from '../../limits/limited_bench.ts'
import { readResults } from '../../report/read_results.ts'
import { toAggregateInput } from '../../report/summarize.ts'
import type { ExecutePlan } from '../../run/execute.ts'
import { execute } from '../../run/execute.ts'

export interface RunStage {
  /** Includes the runs of earlier stages. */
  keeps: (run: RunSpec) => boolean
  /** Most runs per case and configuration. */
  runs: number
  /** Whether these runs decide; not asked after the last stage. */
  isEnough: (cases: readonly PairedCase[]) => boolean
}

/** The executed plan has the runs up to its last stage but keeps the full plan's id, so that the same step finds it again. */
export function createStagedPerform(stagesOf: (plan: Plan) => readonly RunStage[]): ExecutePlan {
  return async (execution, context) => {
    const { plan, folder } = execution
    const stages = stagesOf(plan)
    for (const [at, stage] of stages.entries()) {
      const before = stages[at - 1]
      const block = cutPlan(plan, stage, (run) => stage.keeps(run) && before?.keeps(run) !== true)
      const limited = execution.limited && { ...execution.limited, queue: queueInPairs(block.runs) }
      const { isHalted } = await execute({ ...execution, plan: block, limited }, context)
      if (isHalted || context.signal.aborted) return plan
      const made = cutPlan(plan, stage, stage.keeps)
      if (at < stages.length - 1 && !stage.isEnough(readStageCases({ plan: made, folder }, context))) continue
      // a skipped run reserves no budget
      for (const spec of plan.runs) if (!stage.keeps(spec)) execution.limited?.spending.drop(spec)
      await writePlan(folder, made)
      return made
    }
    return plan
  }
}

function cutPlan(plan: Plan, { runs: most }: RunStage, keeps: RunStage['keeps']): Plan {
  const runs = plan.runs.filter(keeps)
  return { ...plan, runs, options: { ...plan.options, runs: most }, calls: { ...plan.calls, agent_runs: runs.length } }
}

function readStageCases({ plan, folder }: { plan: Plan; folder: string }, context: FlowContext): PairedCase[] {
  const results = readResults(folder, plan, context)
  const made: Benchmark = aggregate({ ...toAggregateInput(plan, results), statistics: {} })
  return pairCases(made, { candidate: plan.candidate_configuration, baseline: plan.baseline_configuration })
}
