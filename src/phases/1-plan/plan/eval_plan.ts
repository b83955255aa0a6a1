/** Builds the plan of eval from a suite: one configuration, the subject, and one run of each case that can run. Pure. */
import type { Plan, PlanOptions, RunSpec } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill, Suite, SuiteCase } from '../../../../schemas/suite.ts'
import { computePlanId } from '../keys/plan_keys.ts'
import { buildRunSpec, type SkillBodies } from './plan.ts'

export interface EvalPlanRequest {
  suite: Suite
  /** The subject under test: a skill, or a stand-in for a package or an agent. */
  subject: Skill
  /** The skill that a case installs for the test; null: none. */
  skillOf: (one: SuiteCase) => Skill | null
  options: PlanOptions
  /** For activation: loaded, the text of each SKILL.md by the skill's sha256; absent: none. */
  bodies?: SkillBodies
  /** ISO 8601, UTC. */
  createdAt: string
  suiteSha256: string
  warnings?: readonly LoadWarning[]
}

/** Cases that cannot run stay in the plan without a run; possibly none can run. */
export function makeEvalPlan(request: EvalPlanRequest): Plan {
  const { suite, subject, options } = request
  const runs = suite.cases.flatMap((one) => (one.cannot_run === null ? [buildEvalRun(one, request)] : []))
  const judged = new Set(suite.cases.filter((one) => one.expectations.length > 0).map((one) => one.eval_id))
  const judgeCalls = runs.filter((run) => judged.has(run.eval_id)).length * (options.judge_samples ?? 1)
  return {
    schema_version: 1,
    plan_id: computePlanId(runs, options),
    created_at: request.createdAt,
    suite: { path: suite.path, format: suite.format, sha256: request.suiteSha256 },
    skill: subject,
    baseline: null,
    candidate_configuration: 'subject',
    baseline_configuration: 'subject',
    options,
    cases: suite.cases,
    runs,
    warnings: [...suite.warnings, ...(request.warnings ?? [])],
    calls: { agent_runs: runs.length, judge_calls: options.judge === null ? 0 : judgeCalls },
  }
}

function buildEvalRun(one: SuiteCase, { suite, skillOf, options, bodies }: EvalPlanRequest): RunSpec {
  const arm = { configuration: 'subject' as const, skill: skillOf(one) }
  return buildRunSpec({ one, arm, number: 1, absent: null, bodies }, suite, options)
}
