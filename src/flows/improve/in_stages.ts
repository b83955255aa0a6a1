/** Performs a plan stage by stage, each adding runs: it ends after the first stage whose runs are enough. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { type MetCase, metCases } from '../../phases/4-report/accept/met_case.ts'
import { aggregate } from '../../phases/4-report/aggregate.ts'
import { writePlanFile } from '../../store/plan_file.ts'
import type { FlowContext } from '../context.ts'
import { execute } from '../execute.ts'
import { queueInPairs } from '../limited.ts'
import type { Perform } from '../prepare.ts'
import { readResults } from '../results.ts'
import { aggregateInput } from '../summarize.ts'

export interface Stage {
  /** Those of the stages before, and more. */
  keeps: (run: RunSpec) => boolean
  /** Runs of each case in an arm, at most. */
  runs: number
  /** Whether these decide; of the last stage they always do. */
  isEnough: (cases: readonly MetCase[]) => boolean
}

/** The plan that was performed holds the runs up to its last stage, under the id of the whole: the same step again finds it. */
export function inStages(stagesOf: (plan: Plan) => readonly Stage[]): Perform {
  return async (execution, context) => {
    const { plan, folder } = execution
    const stages = stagesOf(plan)
    for (const [at, stage] of stages.entries()) {
      const before = stages[at - 1]
      const block = cut(plan, stage, (run) => stage.keeps(run) && before?.keeps(run) !== true)
      const limited = execution.limited && { ...execution.limited, queue: queueInPairs(block.runs) }
      const { isHalted } = await execute({ ...execution, plan: block, limited }, context)
      if (isHalted || context.signal.aborted) return plan
      const made = cut(plan, stage, stage.keeps)
      if (at < stages.length - 1 && !stage.isEnough(casesOf({ plan: made, folder }, context))) continue
      // a run that is not made holds no money back
      for (const spec of plan.runs) if (!stage.keeps(spec)) execution.limited?.spending.drop(spec)
      await writePlanFile(folder, made)
      return made
    }
    return plan
  }
}

function cut(plan: Plan, { runs: most }: Stage, keeps: Stage['keeps']): Plan {
  const runs = plan.runs.filter(keeps)
  return { ...plan, runs, options: { ...plan.options, runs: most }, calls: { ...plan.calls, agent_runs: runs.length } }
}

function casesOf({ plan, folder }: { plan: Plan; folder: string }, context: FlowContext): MetCase[] {
  const results = readResults({ folder, plan }, context)
  const made: Benchmark = aggregate({ ...aggregateInput(plan, results), statistics: {} })
  return metCases(made, { candidate: plan.candidate_configuration, baseline: plan.baseline_configuration })
}
