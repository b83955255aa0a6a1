/** Counts what the runs of each query read, and decides whose queries need more runs. Pure. */
import type { MatrixQuery, MatrixRun, QueryReadCount } from '../../../../../schemas/trigger_matrix.ts'
import {
  type CountedQuery,
  countPairs,
  countReads,
  countRivals,
  isFalseReadDecided,
  isTheftDecided,
  selectNegativeQueries,
  selectOwnQueries,
  sumRuns,
} from './theft_rule.ts'

/** A query as its sets have it. */
export type PlannedQuery = Pick<MatrixQuery, 'query_id' | 'query' | 'asked_with' | 'owners' | 'not_of' | 'draft'>

/** `runs`: those that were due. */
export function countQuery(query: PlannedQuery, runs: readonly MatrixRun[]): MatrixQuery {
  const count = (outcome: MatrixRun['outcome']) => runs.filter((run) => run.outcome === outcome).length
  const { query_id, query: text, asked_with, owners, not_of, draft } = query
  return {
    ...{ query_id, query: text, asked_with, owners, not_of },
    ...(draft && { draft }),
    runs: count('answered'),
    errors: count('error'),
    missing: count('missing'),
    reads: countEach(runs.flatMap((run) => (run.outcome === 'answered' ? [run.read] : []))),
  }
}

/** Most frequent first. */
function countEach(reads: readonly (string | null)[]): QueryReadCount[] {
  const counts = new Map<string | null, number>()
  for (const skill of reads) counts.set(skill, (counts.get(skill) ?? 0) + 1)
  return [...counts].map(([skill, runs]) => ({ skill, runs })).sort((a, b) => b.runs - a.runs)
}

/** Sums of several queries, most frequent first. */
export function sumReads(queries: readonly CountedQuery[]): QueryReadCount[] {
  const names = new Set(queries.flatMap(({ reads }) => reads.map(({ skill }) => skill)))
  return [...names].map((skill) => ({ skill, runs: countReads(queries, skill) })).sort((a, b) => b.runs - a.runs)
}

/**
 * The queries that need another run, by id. The queries of a skill are decided together, because the test needs each of them equally often;
 * so are those that should not read it. What one skill needs does not depend on the runs of another.
 */
export function findOpenQueries(queries: readonly CountedQuery[], installed: readonly string[]): Set<number> {
  const pairs = countPairs(queries, installed)
  const skills = new Set(queries.map(({ asked_with }) => asked_with))
  const open = [...skills].flatMap((skill) => {
    const own = selectOwnQueries(queries, skill)
    const negative = selectNegativeQueries(queries, skill)
    const isOwnOpen = !isTheftDecided(countRivals(own, { skill, installed }), pairs)
    const isNegativeOpen = negative.length > 0 && !isFalseReadDecided(countReads(negative, skill), sumRuns(negative))
    return [...(isOwnOpen ? own : []), ...(isNegativeOpen ? negative : [])]
  })
  return new Set(open.map(({ query_id }) => query_id))
}
