/** Plans the queries of many skills: every run has all of the skills, and ends once it reads one of them. Pure. */
import type { EngineChoice, Plan, RunSpec } from '../../../../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../../../../schemas/suite.ts'
import { computePlanId } from '../../keys/plan_keys.ts'
import { buildQueryCase, buildQueryRun } from '../plan_triggers.ts'
import type { MergedQuery } from './merge_query_sets.ts'

export interface AllTriggersPlanRequest {
  /** The folder of the skills, absolute. */
  folder: string
  queries: readonly MergedQuery[]
  /** Every installed skill; at least one. */
  skills: readonly Skill[]
  engine: EngineChoice
  /** Most runs of a query. */
  runs: number
  until: 'decided' | 'all'
  timeoutSeconds: number
  maxTurns: number | null
  retries: number
  stopEarly: boolean
  /** sha256 over the sets. */
  sha256: string
  /** ISO 8601, UTC. */
  createdAt: string
  warnings: readonly LoadWarning[]
}

/** Run number outermost: every query runs once before any runs twice. A run's skill is the one that its query is asked with. */
export function planAllTriggers(request: AllTriggersPlanRequest): Plan {
  const { queries, skills, engine, stopEarly } = request
  const cases = queries.map(({ number, query }) => buildQueryCase({ number, id: null, query }))
  const numbers = Array.from({ length: request.runs }, (_, index) => index + 1)
  const stopAt = stopEarly ? ('any_skill_read' as const) : null
  const owners = queries.map(({ askedWith }) => findOwner(skills, askedWith))
  const beside = new Map(skills.map((one) => [one.name, skills.filter((other) => other !== one)]))
  const runs = numbers.flatMap((number) =>
    cases.map((one, at): RunSpec => {
      const skill = owners[at] ?? findOwner(skills, '')
      return buildQueryRun({ ...request, skill, among: beside.get(skill.name) ?? [], stopAt }, one, number)
    }),
  )
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
  return {
    schema_version: 1,
    plan_id: computePlanId(runs, options),
    created_at: request.createdAt,
    suite: { path: request.folder, format: 'trigger queries of many skills', sha256: request.sha256 },
    skill: findOwner(skills, owners[0]?.name ?? ''),
    baseline: null,
    candidate_configuration: 'with_skill',
    baseline_configuration: 'without_skill',
    options,
    cases,
    runs,
    warnings: [...request.warnings],
    calls: { agent_runs: runs.length, judge_calls: 0 },
  }
}

function findOwner(skills: readonly Skill[], name: string): Skill {
  const found = skills.find((one) => one.name === name) ?? skills[0]
  if (found === undefined) throw new Error('a plan needs at least one skill')
  return found
}
