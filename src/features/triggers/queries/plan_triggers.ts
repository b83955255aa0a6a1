/** Plans trigger queries × runs: each query is a case without criteria, and a run ends once a skill is read. Pure. */
import type { EngineChoice, Plan, RunSpec } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill, SuiteCase } from '../../../../schemas/suite.ts'
import { computePlanId } from '../../../phases/1-plan/keys/plan_keys.ts'
import { buildRunSpec } from '../../../phases/1-plan/plan/plan.ts'
import { blankCase } from '../../../phases/1-plan/suite/inspected_suite.ts'
import type { QuerySet, TriggerQuery } from './query_set.ts'

export interface QueryPlanSettings {
  engine: EngineChoice
  /** Of each query; until it is decided, the most. */
  runs: number
  /** Absent: all. */
  until?: 'decided' | 'all'
  timeoutSeconds: number
  maxTurns: number | null
  retries: number
  stopEarly: boolean
  /** ISO 8601, UTC. */
  createdAt: string
  warnings: readonly LoadWarning[]
}

interface TriggerPlanRequest extends QueryPlanSettings {
  set: QuerySet
  skill: Skill
  /** Skills installed next to it in every run. */
  among: readonly Skill[]
}

/** A set of one skill. Equal queries differ by their position in the set. */
export function planTriggers(request: TriggerPlanRequest): Plan {
  const { set, skill, among } = request
  return planQueries({
    ...request,
    suite: { path: set.path, format: `trigger queries (${set.format})`, sha256: set.sha256 },
    queries: set.queries.map((one) => ({ ...one, skill, among })),
    stopAt: 'skill_read',
    warnings: [...set.warnings, ...request.warnings],
  })
}

/** A query with the skill that it is run with, and the skills installed next to that. */
interface QueryOfSkill extends Pick<TriggerQuery, 'query_id' | 'id' | 'query'> {
  skill: Skill
  among: readonly Skill[]
}

interface QueryPlanRequest extends QueryPlanSettings {
  suite: Plan['suite']
  /** At least one. */
  queries: readonly QueryOfSkill[]
  stopAt: NonNullable<RunSpec['stop_at']>
}

/** Run number outermost: every query runs once before any runs twice. The plan's skill is that of the first query. */
export function planQueries(request: QueryPlanRequest): Plan {
  const { suite, engine, queries } = request
  const [first] = queries
  if (first === undefined) throw new Error('a plan needs at least one query')
  const numbers = Array.from({ length: request.runs }, (_, index) => index + 1)
  const asked = queries.map((one) => ({ ...one, asked: buildQueryCase(one) }))
  const options: Plan['options'] = {
    engine,
    judge: null,
    runs: request.runs,
    ...(request.until === 'decided' && { until: 'decided' as const }),
    timeout_seconds: request.timeoutSeconds,
    max_turns: request.maxTurns,
    activation: 'natural',
    on_timeout: 'exclude',
    retries: request.retries,
  }
  const way = { absent: null, prefix: 'query', ...(request.stopEarly && { stopAt: request.stopAt }) }
  const runs = numbers.flatMap((number) =>
    asked.map(({ asked: one, skill, among }) => {
      const arm = { configuration: 'with_skill' as const, skill, among }
      return buildRunSpec({ one, arm, number, ...way }, {}, options)
    }),
  )
  return {
    schema_version: 1,
    plan_id: computePlanId(runs, options),
    created_at: request.createdAt,
    suite,
    skill: first.skill,
    baseline: null,
    candidate_configuration: 'with_skill',
    baseline_configuration: 'without_skill',
    options,
    cases: asked.map((one) => one.asked),
    runs,
    warnings: [...request.warnings],
    calls: { agent_runs: runs.length, judge_calls: 0 },
  }
}

/** Characters; enough for a person to recognise a query. */
const nameLength = 60

function buildQueryCase({ query_id, id, query }: QueryOfSkill): SuiteCase {
  const line = query.replaceAll(/\s+/g, ' ').trim()
  return {
    ...blankCase,
    eval_id: query_id,
    eval_key: id,
    eval_name: line.length > nameLength ? `${line.slice(0, nameLength - 1)}…` : line,
    prompt: query,
  }
}
