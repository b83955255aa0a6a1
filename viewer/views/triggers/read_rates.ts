/** The shares of the grid of skills that are read, from `trigger_matrix.json`. */
import type { MatrixQuery, MatrixSkill, TriggerMatrix } from '../../../schemas/trigger_matrix.ts'

/** Mean share of runs of a skill's own queries that read `read` first; null: no run has an answer. */
export function findReadRate({ pairs }: TriggerMatrix, { name, recall }: MatrixSkill, read: string): number | null {
  if (recall === null) return null
  if (read === name) return recall.value
  return pairs.find(({ skill, taken_by }) => skill === name && taken_by === read)?.rate.value ?? 0
}

/** The same for runs that read no skill. */
export function meanUnreadRate(queries: readonly MatrixQuery[], name: string): number | null {
  const own = queries.filter(({ owners, runs }) => owners.includes(name) && runs > 0)
  if (own.length === 0) return null
  const shares = own.map(({ reads, runs }) => (reads.find(({ skill }) => skill === null)?.runs ?? 0) / runs)
  return shares.reduce((sum, one) => sum + one, 0) / own.length
}
