/** Names the skills that take the queries of others, with the share of wrong names under control. Pure. */
import type { SkillTheft } from '../../../../../schemas/trigger_matrix.ts'
import { roundPValue } from '../../stats/numbers/round.ts'
import { weighHigherRate } from '../../stats/tests/anytime_rate.ts'
import { benjaminiHochberg } from '../../stats/tests/benjamini_hochberg.ts'
import { meanShare } from './mean_share.ts'
import { type CountedQuery, countRivals, type RivalCount, selectOwnQueries, theftRule } from './theft_rule.ts'

export interface Thefts {
  /** Every pair with a read, the strongest evidence first. */
  pairs: SkillTheft[]
  /** Pairs without a read are tested, too. */
  tested: number
}

/**
 * The p-value of a pair is 1 ÷ its evidence that the rate is above the tolerated one. Benjamini and Hochberg's procedure on such p-values
 * (e-BH) holds the false discovery rate whatever the dependence between pairs and whenever their runs stopped.
 */
export function findThefts(
  queries: readonly CountedQuery[],
  { skills, installed }: { skills: readonly string[]; installed: readonly string[] },
): Thefts {
  const rivals = skills.flatMap((skill) => countRivals(selectOwnQueries(queries, skill), { skill, installed }))
  const values = rivals.map(computePValue)
  const adjusted = benjaminiHochberg(values)
  const pairs = rivals.flatMap((rival, at) =>
    rival.reads === 0 ? [] : [toTheft(rival, { p: values[at] ?? 1, q: adjusted[at] ?? 1 })],
  )
  return { pairs: pairs.sort((a, b) => a.p_value - b.p_value || b.reads - a.reads), tested: rivals.length }
}

function computePValue({ reads, runs }: RivalCount): number {
  return reads === 0 ? 1 : Math.min(1, 1 / weighHigherRate(reads, runs, theftRule.tolerated_rate))
}

function toTheft({ skill, rival, queries, reads, runs }: RivalCount, { p, q }: { p: number; q: number }): SkillTheft {
  const read = (one: CountedQuery) => one.reads.find((other) => other.skill === rival)?.runs ?? 0
  const decided = queries.filter((one) => one.runs > 0)
  return {
    skill,
    taken_by: rival,
    reads,
    runs,
    rate: meanShare(decided.map((one) => read(one) / one.runs)),
    query_ids: queries.filter((one) => read(one) > 0).map(({ query_id }) => query_id),
    p_value: roundPValue(p),
    q_value: roundPValue(q),
    named: q <= theftRule.fdr,
  }
}
