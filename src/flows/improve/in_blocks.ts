/** Performs a plan block by block, with a look of the gate after some of them: it ends where the gate has decided. */
import type { Benchmark } from '../../../schemas/benchmark.ts'
import type { GateResult } from '../../../schemas/history/gate.ts'
import { type Plan, plan as planSchema } from '../../../schemas/plan.ts'
import { lookAt, nextLook } from '../../phases/4-report/accept/look.ts'
import { firstBlocks, type MetCase, metCases } from '../../phases/4-report/accept/met_case.ts'
import type { Met } from '../../phases/4-report/accept/verdict.ts'
import { aggregate } from '../../phases/4-report/aggregate.ts'
import { benchmarkPaths } from '../../store/paths.ts'
import { writeArtefact } from '../../store/store.ts'
import type { FlowContext } from '../context.ts'
import { execute } from '../execute.ts'
import { queueInPairs } from '../limited.ts'
import type { Perform } from '../prepare.ts'
import { aggregateInput, readResults } from '../summarize.ts'

export type Gated = Pick<Met, 'against' | 'alpha' | 'margins' | 'planned'>

/** The plan that was performed holds the blocks up to the last look, under the id of the whole: the same step again finds it. */
export function inBlocks(gated: Gated): Perform {
  return async (execution, context) => {
    const { plan, folder } = execution
    let from = 0
    while (from < gated.planned) {
      const to = nextLook(from, gated.planned)
      const block = upTo(plan, to, from)
      const limited = execution.limited && { ...execution.limited, queue: queueInPairs(block.runs) }
      const { isHalted } = await execute({ ...execution, plan: block, limited }, context)
      if (isHalted || context.signal.aborted) return plan
      from = to
      if (verdictOn(casesSoFar({ plan, folder, blocks: to }, context), { ...gated, blocks: to }) === null) continue
      const made = upTo(plan, to)
      await writeArtefact(planSchema, benchmarkPaths(folder).plan, made)
      return made
    }
    return plan
  }
}

/** What the looks at these runs say, up to the block; null: they go on. The same runs give the same looks. */
export function verdictOn(cases: readonly MetCase[], gated: Gated & { blocks: number }): GateResult | null {
  const looks: GateResult['looks'] = []
  for (let at = nextLook(0, gated.planned); at <= gated.blocks; at = nextLook(at, gated.planned)) {
    const { look, verdict } = lookAt({ ...gated, cases: cases.map((one) => firstBlocks(one, at)), blocks: at, looks })
    if (look !== null) looks.push(look)
    if (verdict !== null) return verdict
    if (at >= gated.planned) break
  }
  return null
}

function upTo(plan: Plan, blocks: number, from = 0): Plan {
  const runs = plan.runs.filter(({ run_number }) => run_number > from && run_number <= blocks)
  return {
    ...plan,
    runs,
    options: { ...plan.options, runs: blocks },
    calls: { ...plan.calls, agent_runs: runs.length },
  }
}

function casesSoFar(of: { plan: Plan; folder: string; blocks: number }, context: FlowContext): MetCase[] {
  const plan = upTo(of.plan, of.blocks)
  const made: Benchmark = aggregate({
    ...aggregateInput(plan, readResults({ folder: of.folder, plan }, context)),
    statistics: {},
  })
  return metCases(made, { candidate: plan.candidate_configuration, baseline: plan.baseline_configuration })
}
