/** Plans a set of trigger queries × runs: each query is a case without criteria, and a run ends once the skill is read. Pure. */
import type { Configuration, EngineChoice, Plan, RunSpec } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill, SuiteCase } from '../../../../schemas/suite.ts'
import { computePlanId, computeRunKey } from '../../../phases/1-plan/keys/plan_keys.ts'
import { slug } from '../../../phases/1-plan/skill/slug.ts'
import { blankCase } from '../../../phases/1-plan/suite/blank_case.ts'
import type { QuerySet, TriggerQuery } from './query_set.ts'

export interface TriggerPlanRequest {
  set: QuerySet
  skill: Skill
  /** Configuration of its runs; absent: with_skill. */
  configuration?: Configuration
  /** Skills installed next to it in every run. */
  among: readonly Skill[]
  engine: EngineChoice
  runs: number
  timeoutSeconds: number
  maxTurns: number | null
  retries: number
  stopEarly: boolean
  /** ISO 8601, UTC. */
  createdAt: string
  warnings: readonly LoadWarning[]
}

/** Equal queries differ by their position in the set. */
export function planTriggers(request: TriggerPlanRequest): Plan {
  const { set, skill, engine } = request
  const cases = set.queries.map(buildQueryCase)
  const numbers = Array.from({ length: request.runs }, (_, index) => index + 1)
  // run number outermost: every query runs once before any runs twice
  const run = { ...request, stopAt: request.stopEarly ? ('skill_read' as const) : null }
  const runs = numbers.flatMap((number) => cases.map((asked) => buildQueryRun(run, asked, number)))
  const options: Plan['options'] = {
    engine,
    judge: null,
    runs: request.runs,
    timeout_seconds: request.timeoutSeconds,
    max_turns: request.maxTurns,
    activation: 'natural',
    on_timeout: 'exclude',
    retries: request.retries,
  }
  return {
    schema_version: 1,
    plan_id: computePlanId(runs, options),
    created_at: request.createdAt,
    suite: { path: set.path, format: `trigger queries (${set.format})`, sha256: set.sha256 },
    skill,
    baseline: null,
    candidate_configuration: request.configuration ?? 'with_skill',
    baseline_configuration: 'without_skill',
    options,
    cases,
    runs,
    warnings: [...set.warnings, ...request.warnings],
    calls: { agent_runs: runs.length, judge_calls: 0 },
  }
}

/** Characters; enough for a person to recognise a query. */
const nameLength = 60

export function buildQueryCase({ number, id, query }: Pick<TriggerQuery, 'number' | 'id' | 'query'>): SuiteCase {
  const line = query.replaceAll(/\s+/g, ' ').trim()
  return {
    ...blankCase,
    eval_id: number,
    eval_key: id,
    eval_name: line.length > nameLength ? `${line.slice(0, nameLength - 1)}…` : line,
    prompt: query,
  }
}

/** What a run of a query needs of its plan. */
export interface QueryRunRequest
  extends Pick<TriggerPlanRequest, 'skill' | 'configuration' | 'among' | 'engine' | 'maxTurns' | 'timeoutSeconds'> {
  /** null: it runs to its end. */
  stopAt: 'skill_read' | 'any_skill_read' | null
}

export function buildQueryRun(request: QueryRunRequest, one: SuiteCase, number: number): RunSpec {
  const folder = ['query', one.eval_id, slug(one.eval_name)].filter((part) => part !== '').join('-')
  const configuration = request.configuration ?? 'with_skill'
  const spec: Omit<RunSpec, 'key'> = {
    run_id: `${folder}/${configuration}/run-${number}`,
    eval_id: one.eval_id,
    eval_name: one.eval_name,
    configuration,
    run_number: number,
    prompt: one.prompt,
    files: [],
    setup: null,
    git: null,
    skill: request.skill,
    absent_skill: null,
    ...(request.among.length > 0 && { among: [...request.among] }),
    ...(request.stopAt !== null && { stop_at: request.stopAt }),
    engine: request.engine,
    max_turns: request.maxTurns,
    timeout_seconds: request.timeoutSeconds,
    activation: 'natural',
  }
  return { ...spec, key: computeRunKey(spec) }
}
