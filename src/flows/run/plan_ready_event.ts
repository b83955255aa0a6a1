/** The event that describes what will run. */
import type { Plan, RunSpec } from '../../../schemas/plan.ts'
import { listDoneRuns } from '../../store/run_folders.ts'
import { computeDetectableDifference } from '../estimate/estimate_bench.ts'
import { countBlocksUntilCheck } from '../report/interim_analyses.ts'

/** `choices`: how engine, judge and settings were chosen, for the user. */
export async function createPlanReadyEvent(folder: string, { plan, choices }: { plan: Plan; choices: string[] }) {
  const finished = await listDoneRuns(folder, plan.runs)
  const planned = countByCase(plan.runs)
  const { engine, judge, runs, until } = plan.options
  return {
    type: 'plan_ready' as const,
    folder,
    skill_name: plan.skill.name,
    engine: engine.name,
    model: engine.model,
    judge: judge === null ? null : [judge.name, judge.model].filter(Boolean).join(':'),
    candidate: plan.candidate_configuration,
    baseline: plan.baseline_configuration,
    cases: plan.cases.map(({ eval_id, eval_name }) => ({ eval_id, eval_name })),
    runs: plan.runs.length,
    runs_per_case: runs,
    ...(plan.runs.length > 1 &&
      plan.candidate_configuration !== 'subject' && { detectable: computeDetectableDifference(plan) }), // a rerun alone detects nothing
    ...(until && { first_look: countBlocksUntilCheck(plan) }),
    ...(!isUniform(plan, planned) && { planned_by_case: planned }),
    done: finished.length,
    ...(finished.length > 0 && { done_by_case: countByCase(finished) }),
    choices,
    warnings: plan.warnings,
    cannot_run: plan.cases.flatMap(({ eval_id, cannot_run }) =>
      cannot_run === null ? [] : [{ eval_id, reason: cannot_run }],
    ),
  }
}

function isUniform(plan: Plan, planned: readonly { runs: number }[]): boolean {
  const cases = plan.cases.filter(({ cannot_run }) => cannot_run === null).length
  const arms = plan.candidate_configuration === plan.baseline_configuration ? 1 : 2
  return planned.length === cases * arms && planned.every(({ runs }) => runs === plan.options.runs)
}

function countByCase(runs: readonly RunSpec[]): { eval_id: number; configuration: string; runs: number }[] {
  const found = new Map<string, { eval_id: number; configuration: string; runs: number }>()
  for (const { eval_id, configuration } of runs) {
    const key = `${eval_id} ${configuration}`
    found.set(key, { eval_id, configuration, runs: (found.get(key)?.runs ?? 0) + 1 })
  }
  return [...found.values()]
}
