/** Builds the plan of a ranking: every contender in every block, a block being one case × one run number. Pure. */
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { canonicalJson, sha256 } from '../../base/json/json.ts'
import { computePlanId, computeRunKey } from '../../phases/1-plan/keys/plan_keys.ts'

/** `plan`: of a benchmark of this contender; its runs with the skill are the contender's. */
export interface PlannedContender {
  /** The folder of its runs within each case. */
  folder: string
  plan: Plan
}

/** All have the same suite. The plan has `blocks` runs per case and contender. */
export function makeRankPlan(contenders: readonly PlannedContender[], blocks: number): Plan {
  const [first] = contenders
  if (first === undefined) throw new Error('a ranking without contenders')
  const each = contenders.map(({ folder, plan }) => ({ folder, specs: firstRuns(plan) }))
  const ids = each[0]?.specs.map(({ eval_id }) => eval_id) ?? []
  const numbers = Array.from({ length: blocks }, (_, at) => at + 1)
  const runs = numbers.flatMap((number) =>
    ids.flatMap((id) =>
      shuffleBlock(
        each.flatMap(({ folder, specs }) =>
          specs.filter(({ eval_id }) => eval_id === id).map((spec) => toContenderRun(spec, folder, number)),
        ),
      ),
    ),
  )
  const options = { ...first.plan.options, runs: blocks }
  const judged = new Set(first.plan.cases.filter((one) => one.expectations.length > 0).map((one) => one.eval_id))
  const samples = options.judge === null ? 0 : (options.judge_samples ?? 1)
  const judge_calls = runs.filter((run) => judged.has(run.eval_id)).length * samples
  return {
    ...first.plan,
    candidate_configuration: 'subject',
    baseline_configuration: 'subject',
    options,
    runs,
    plan_id: computePlanId(runs, options),
    calls: { agent_runs: runs.length, judge_calls },
  }
}

export function contenderFolder({ run_id }: Pick<RunSpec, 'run_id'>): string {
  return run_id.split('/')[1] ?? ''
}

function firstRuns({ runs, candidate_configuration }: Plan): RunSpec[] {
  return runs.filter((run) => run.configuration === candidate_configuration && run.run_number === 1)
}

function toContenderRun({ key: _, ...spec }: RunSpec, folder: string, number: number): RunSpec {
  const [caseFolder = ''] = spec.run_id.split('/')
  const run = {
    ...spec,
    run_id: `${caseFolder}/${folder}/run-${number}`,
    configuration: 'subject' as const,
    run_number: number,
  }
  return { ...run, key: computeRunKey(run) }
}

/** The order within a block is drawn by a hash of its runs, so that the same plan gives the same order. */
function shuffleBlock(block: readonly RunSpec[]): RunSpec[] {
  const lots = block.map((run) => ({ run, lot: sha256(canonicalJson([run.run_id, run.key])) }))
  return lots.sort((a, b) => (a.lot < b.lot ? -1 : 1)).map(({ run }) => run)
}
