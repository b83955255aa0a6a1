/** suite × configurations × runs → the plan. Pure. */
import type { Configuration, Plan, PlanOptions, RunSpec } from '../../../schemas/plan.ts'
import type { LoadWarning, Skill, Suite, SuiteCase } from '../../../schemas/suite.ts'
import { planId, runKey } from './key.ts'

export interface PlanRequest {
  suite: Suite
  skill: Skill
  baseline: Skill | null
  options: PlanOptions
  createdAt: string
  suiteSha256: string
  warnings?: readonly LoadWarning[]
}

export function makePlan(request: PlanRequest): Plan {
  const { suite, skill, baseline, options } = request
  const candidate: Configuration = baseline === null ? 'with_skill' : 'new_skill'
  const other: Configuration = baseline === null ? 'without_skill' : 'old_skill'
  const arms = [
    { configuration: candidate, skill },
    { configuration: other, skill: baseline },
  ]
  const runs: RunSpec[] = []
  for (let number = 1; number <= options.runs; number += 1) {
    for (const one of suite.cases) {
      if (one.cannot_run !== null) continue
      for (const arm of arms) runs.push(runOf({ one, arm, number, request }))
    }
  }
  const judged = new Set(suite.cases.filter((one) => one.expectations.length > 0).map((one) => one.eval_id))
  return {
    schema_version: 1,
    plan_id: planId(runs, options),
    created_at: request.createdAt,
    suite: { path: suite.path, format: suite.format, sha256: request.suiteSha256 },
    skill,
    baseline,
    candidate_configuration: candidate,
    baseline_configuration: other,
    options,
    cases: suite.cases,
    runs,
    warnings: [...suite.warnings, ...(request.warnings ?? [])],
    calls: {
      agent_runs: runs.length,
      judge_calls: options.judge === null ? 0 : runs.filter((run) => judged.has(run.eval_id)).length,
    },
  }
}

interface RunPlace {
  one: SuiteCase
  arm: { configuration: Configuration; skill: Skill | null }
  number: number
  request: PlanRequest
}

function runOf({ one, arm, number, request }: RunPlace): RunSpec {
  const { options, skill } = request
  const slug = one.eval_name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .slice(0, 40)
  const spec = {
    run_id: `eval-${one.eval_id}-${slug}/${arm.configuration}/run-${number}`,
    eval_id: one.eval_id,
    eval_name: one.eval_name,
    configuration: arm.configuration,
    run_number: number,
    prompt: one.prompt,
    files: one.files,
    setup: one.setup,
    git: one.git,
    skill: arm.skill,
    absent_skill: arm.skill === null ? skill.name : null,
    engine: options.engine,
    max_turns: options.max_turns,
    timeout_seconds: one.timeout_seconds ?? options.timeout_seconds,
    activation: options.activation,
  }
  return { ...spec, key: runKey(spec) }
}
