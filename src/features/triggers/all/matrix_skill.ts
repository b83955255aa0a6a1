/** The rates of one skill among many: for its own queries, and for those of others. */
import type { MatrixQuery, MatrixSkill, SkillTheft } from '../../../../schemas/trigger_matrix.ts'
import type { TriggerShare } from '../../../../schemas/triggers.ts'
import { wilson } from '../../../phases/4-report/stats/distributions/binomial.ts'
import { triggerAlpha } from '../report/result.ts'
import { countReads, selectOwnQueries, sumReads, sumRuns } from './theft_rule.ts'

export interface MatrixSkillFacts {
  name: string
  description: string
  sha256: string
  /** null: it has no queries. */
  set: string | null
}

export interface MatrixSkillContext {
  queries: readonly MatrixQuery[]
  pairs: readonly SkillTheft[]
  /** Ids of queries that are not decided. */
  open: ReadonlySet<number>
  /** Most runs of a query. */
  most: number
}

export function toMatrixSkill(
  facts: MatrixSkillFacts,
  { queries, pairs, open, most }: MatrixSkillContext,
): MatrixSkill {
  const { name } = facts
  const own = queries.filter(({ owners }) => owners.includes(name))
  const negative = queries.filter(({ owners, not_of }) => !owners.includes(name) && not_of.includes(name))
  const asked = selectOwnQueries(queries, name)
  const rounds = Math.max(0, ...own.map(({ runs, errors, missing }) => runs + errors + missing))
  const named = pairs.filter((pair) => pair.named)
  return {
    ...facts,
    queries: own.length,
    runs: sumRuns(own),
    rounds,
    ended: toEnd({ count: own.length, isOpen: asked.some(({ query_id }) => open.has(query_id)), rounds, most }),
    recall: meanRate(own, name),
    precision: computePrecision(queries, name),
    false_trigger_rate: meanRate(negative, name),
    reads: sumReads(own),
    takes_from: named.filter(({ taken_by }) => taken_by === name).map(({ skill }) => skill),
    loses_to: named.filter(({ skill }) => skill === name).map(({ taken_by }) => taken_by),
  }
}

interface EndFacts {
  count: number
  isOpen: boolean
  rounds: number
  most: number
}

function toEnd({ count, isOpen, rounds, most }: EndFacts): MatrixSkill['ended'] {
  if (count === 0) return 'no_queries'
  if (!isOpen) return 'decided'
  return rounds >= most ? 'limit' : 'open'
}

/** null: no query has an answer. */
function meanRate(queries: readonly MatrixQuery[], name: string): TriggerShare | null {
  const decided = queries.filter(({ runs }) => runs > 0)
  return decided.length === 0 ? null : meanShare(decided.map((one) => countReads([one], name) / one.runs))
}

/** Each query weighs by its rate, not by its number of runs, which differs. */
function computePrecision(queries: readonly MatrixQuery[], name: string): TriggerShare | null {
  const read = queries.filter((one) => countReads([one], name) > 0)
  if (read.length === 0) return null
  const rates = read.map((one) => countReads([one], name) / one.runs)
  const isRight = read.map(({ owners }) => (owners.includes(name) ? 1 : 0))
  return meanShare(isRight, rates)
}

/** A mean of shares of queries. Wilson's interval counts the queries: runs of one query are alike. At least one share. */
export function meanShare(shares: readonly number[], weights: readonly number[] = shares.map(() => 1)): TriggerShare {
  const total = weights.reduce((sum, one) => sum + one, 0)
  const value = Math.min(1, shares.reduce((sum, one, at) => sum + one * (weights[at] ?? 0), 0) / total)
  const { low, high } = wilson(value * shares.length, shares.length, triggerAlpha)
  return { value, ci_low: low, ci_high: high, n: shares.length }
}
