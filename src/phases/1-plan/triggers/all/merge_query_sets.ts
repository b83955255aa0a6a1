/** Merges the trigger queries of many skills: each distinct text is asked once, whatever sets have it. Pure. */
import type { LoadWarning } from '../../../../../schemas/suite.ts'
import type { QuerySet } from '../query_set.ts'

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
