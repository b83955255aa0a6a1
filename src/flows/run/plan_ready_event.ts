/** The event that describes what will run. */
import type { Plan } from '../../../schemas/plan.ts'
import { isRunDone } from '../../store/is_run_done.ts'
import { readRun } from '../../store/store.ts'
import { computeDetectableDifference } from '../estimate/detectable_effect.ts'
import { countBlocksUntilCheck } from '../report/interim_analyses.ts'

/** `choices`: how engine, judge and settings were chosen, for the user. */
export async function createPlanReadyEvent(folder: string, { plan, choices }: { plan: Plan; choices: string[] }) {
  const done = new Map<string, { eval_id: number; configuration: string; runs: number }>()
  for (const spec of plan.runs) {
    const run = await readRun(folder, spec.run_id)
    if (run === null || !isRunDone(run, spec)) continue
    const { eval_id, configuration } = spec
    const key = `${eval_id} ${configuration}`
    done.set(key, { eval_id, configuration, runs: (done.get(key)?.runs ?? 0) + 1 })
  }
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
    done: [...done.values()].reduce((sum, { runs }) => sum + runs, 0),
    ...(done.size > 0 && { done_by_case: [...done.values()] }),
    choices,
    warnings: plan.warnings,
    cannot_run: plan.cases.flatMap(({ eval_id, cannot_run }) =>
      cannot_run === null ? [] : [{ eval_id, reason: cannot_run }],
    ),
  }
}
