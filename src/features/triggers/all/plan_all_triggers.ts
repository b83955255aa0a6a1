/** Plans the queries of many skills: every run has all of the skills, and ends once it reads one of them. Pure. */
import type { Plan } from '../../../../schemas/plan.ts'
import type { LoadWarning, Skill } from '../../../../schemas/suite.ts'
import { planQueries, type QueryPlanSettings } from '../queries/plan_triggers.ts'
import type { QuerySet } from '../queries/query_set.ts'
import type { PlannedQuery } from './theft_rule.ts'

interface AllTriggersPlanRequest extends QueryPlanSettings {
  /** The folder of the skills, absolute. */
  folder: string
  queries: readonly PlannedQuery[]
  /** Every installed skill; at least one. */
  skills: readonly Skill[]
  /** sha256 over the sets. */
  sha256: string
}

/** A run's skill is the one that its query is asked with. */
export function planAllTriggers(request: AllTriggersPlanRequest): Plan {
  const { queries, skills, folder, sha256 } = request
  const beside = new Map(skills.map((one) => [one.name, skills.filter((other) => other !== one)]))
  return planQueries({
    ...request,
    suite: { path: folder, format: 'trigger queries of many skills', sha256 },
    queries: queries.map(({ query_id, query, asked_with }) => {
      const skill = findOwner(skills, asked_with)
      return { query_id, id: null, query, skill, among: beside.get(skill.name) ?? [] }
    }),
    stopAt: 'any_skill_read',
  })
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

/** Equal texts are one query, up to white space and case. */
export function mergeQuerySets(all: readonly SkillQueries[]): PlannedQuery[] {
  const merged = new Map<string, Omit<PlannedQuery, 'query_id' | 'asked_with'>>()
  for (const { skill, set } of all) {
    for (const { query, should_trigger, draft } of set.queries) {
      const key = query.replaceAll(/\s+/g, ' ').trim().toLowerCase()
      const one = merged.get(key) ?? { query, owners: [], not_of: [] }
      const names = should_trigger ? one.owners : one.not_of
      if (!names.includes(skill)) names.push(skill)
      merged.set(key, { ...one, ...(draft && { draft }) })
    }
  }
  return [...merged.values()].map((one, at) => ({
    query_id: at + 1,
    asked_with: one.owners[0] ?? one.not_of[0] ?? '',
    ...one,
  }))
}

/** What a reader should know of each skill's queries. */
export function listMergeWarnings(all: readonly SkillQueries[], merged: readonly PlannedQuery[]): LoadWarning[] {
  const shared = merged.filter(({ owners }) => owners.length > 1)
  const both = merged.filter(({ owners, not_of }) => owners.some((skill) => not_of.includes(skill)))
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
