/** Plans the queries of many skills: every run has all of the skills, and ends once it reads one of them. Pure. */
import type { EngineChoice, Plan, RunSpec } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../../../schemas/suite.ts'
import { computePlanId } from '../../../phases/1-plan/keys/plan_keys.ts'
import { buildQueryCase, buildQueryRun } from '../queries/plan_triggers.ts'
import type { QuerySet } from '../queries/query_set.ts'

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

/** The queries of one skill of a folder. */
export interface SkillQueries {
  skill: string
  set: QuerySet
}

export interface MergedQuery {
  /** From 1, in the order of the skills. */
  number: number
  query: string
  /** The skill whose queries it is run with: its first owner, else the first that has it. */
  askedWith: string
  /** Skills that should be read. */
  owners: string[]
  /** Skills whose set says that they should not be read. */
  notOf: string[]
  /** Written by a model and not reviewed. */
  draft: boolean
}

/** Equal texts are one query, up to white space and case. */
export function mergeQuerySets(all: readonly SkillQueries[]): MergedQuery[] {
  const merged = new Map<string, Omit<MergedQuery, 'number' | 'askedWith'>>()
  for (const { skill, set } of all) {
    for (const { query, shouldTrigger, draft } of set.queries) {
      const key = query.replaceAll(/\s+/g, ' ').trim().toLowerCase()
      const one = merged.get(key) ?? { query, owners: [], notOf: [], draft: false }
      const names = shouldTrigger ? one.owners : one.notOf
      if (!names.includes(skill)) names.push(skill)
      merged.set(key, { ...one, draft: one.draft || draft })
    }
  }
  return [...merged.values()].map((one, at) => ({
    ...one,
    number: at + 1,
    askedWith: one.owners[0] ?? one.notOf[0] ?? '',
  }))
}

/** What a reader should know of each skill's queries. */
export function listMergeWarnings(all: readonly SkillQueries[], merged: readonly MergedQuery[]): LoadWarning[] {
  const shared = merged.filter(({ owners }) => owners.length > 1)
  const both = merged.filter(({ owners, notOf }) => owners.some((skill) => notOf.includes(skill)))
  const file = all[0]?.set.path ?? ''
  const note = (query: string) => (query.length > 80 ? `${query.slice(0, 79)}…` : query)
  return [
    ...shared.map(({ query, owners }) => ({
      file,
      at: '$',
      message: `${owners.join(' and ')} both claim the query "${note(query)}"; reading either is right`,
    })),
    ...both.map(({ query }) => ({ file, at: '$', message: `one set has "${note(query)}" as both kinds of query` })),
  ]
}
