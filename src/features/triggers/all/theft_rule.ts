/** Which other skills take the queries of a skill, and when those have been run often enough to know it. Pure. */
import type { MatrixQuery, MatrixRun, QueryReadCount, SkillTheft } from '../../../../schemas/trigger_matrix.ts'
import type { TriggerShare } from '../../../../schemas/triggers.ts'
import { countEach } from '../../../base/totals.ts'
import { betaCdf, logBeta } from '../../../phases/4-report/stats/distributions/quantiles.ts'
import { roundPValue } from '../../../phases/4-report/stats/numbers/round.ts'
import { benjaminiHochberg } from '../../../phases/4-report/stats/tests/adjusted_p_values.ts'
import { toTriggerShare } from '../report/report.ts'

/** What counts as a theft, and the errors that are accepted. */
export const theftRule = {
  /** A skill that is read for at most this share of the runs of another one's queries takes nothing. */
  tolerated_rate: 0.05,
  /** The early stop misses a skill with at least this rate … */
  theft_rate: 0.5,
  /** … at most this often. */
  miss_rate: 0.1,
  /** Share of wrongly named pairs among all named ones, at most, on average. */
  fdr: 0.05,
} as const

export type CountedQuery = Pick<MatrixQuery, 'query_id' | 'asked_with' | 'owners' | 'not_of'> & {
  /** Runs with an answer. */
  runs: number
  reads: readonly QueryReadCount[]
}

/** A skill, another one, and the queries of the first that do not belong to the other as well. */
export interface RivalCount {
  skill: string
  rival: string
  queries: readonly CountedQuery[]
  reads: number
  runs: number
}

/** Its own queries, which one stop decides together: each has been run equally often, as the test assumes. */
export function selectOwnQueries<Q extends CountedQuery>(queries: readonly Q[], skill: string): Q[] {
  return queries.filter(({ asked_with, owners }) => asked_with === skill && owners.length > 0)
}

/** The queries that are run with a skill and should not read it, and belong to no other. */
function selectNegativeQueries<Q extends CountedQuery>(queries: readonly Q[], skill: string): Q[] {
  return queries.filter(({ asked_with, owners }) => asked_with === skill && owners.length === 0)
}

/** For each other installed skill, how often it was read for the queries of this one. */
export function countRivals(
  own: readonly CountedQuery[],
  { skill, installed }: { skill: string; installed: readonly string[] },
): RivalCount[] {
  const everyOwner = new Set(own.flatMap(({ owners }) => owners))
  const all = { queries: own, runs: sumRuns(own) }
  const found: RivalCount[] = []
  for (const rival of installed) {
    const { queries, runs } = everyOwner.has(rival) ? withoutOwner(own, rival) : all
    if (rival !== skill && queries.length > 0)
      found.push({ skill, rival, queries, reads: countReads(queries, rival), runs })
  }
  return found
}

function withoutOwner(own: readonly CountedQuery[], rival: string): Pick<RivalCount, 'queries' | 'runs'> {
  const queries = own.filter(({ owners }) => !owners.includes(rival))
  return { queries, runs: sumRuns(queries) }
}

export function countReads(queries: readonly CountedQuery[], skill: string | null): number {
  return queries.reduce((sum, { reads }) => sum + (reads.find((one) => one.skill === skill)?.runs ?? 0), 0)
}

export function sumRuns(queries: readonly CountedQuery[]): number {
  return queries.reduce((sum, { runs }) => sum + runs, 0)
}

/**
 * Whether every rival is decided: it is certain to be named in the end, whatever the other skills show (its evidence is enough for one of
 * `pairs` alone), or a theft of at least `theft_rate` is ruled out. Depends on nothing but the runs of this skill.
 */
export function isTheftDecided(rivals: readonly Pick<RivalCount, 'reads' | 'runs'>[], pairs: number): boolean {
  const { tolerated_rate, theft_rate, miss_rate, fdr } = theftRule
  const distinct = new Map(rivals.map(({ reads, runs }) => [`${reads}/${runs}`, { reads, runs }])) // most have no read
  return [...distinct.values()].every(
    ({ reads, runs }) =>
      weighLowerRate(reads, runs, theft_rate) >= 1 / miss_rate ||
      weighHigherRate(reads, runs, tolerated_rate) >= pairs / fdr,
  )
}

function isFalseReadDecided(reads: number, runs: number): boolean {
  const { tolerated_rate, theft_rate, miss_rate, fdr } = theftRule
  return (
    weighLowerRate(reads, runs, theft_rate) >= 1 / miss_rate || weighHigherRate(reads, runs, tolerated_rate) >= 1 / fdr
  )
}

/** The names of skills with at least one query that is run with them. */
export function countPairs(queries: readonly CountedQuery[], installed: readonly string[]): number {
  const skills = new Set(queries.map(({ asked_with }) => asked_with))
  return [...skills].reduce(
    (sum, skill) => sum + countRivals(selectOwnQueries(queries, skill), { skill, installed }).length,
    0,
  )
}

/** A query as its sets have it: from 1, in the order of the skills; run with its first owner, else with the first skill that has it. */
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
    reads: countReadSkills(runs.flatMap((run) => (run.outcome === 'answered' ? [run.read] : []))),
  }
}

/** Most frequent first. */
function countReadSkills(reads: readonly (string | null)[]): QueryReadCount[] {
  return [...countEach(reads)].map(([skill, runs]) => ({ skill, runs })).sort((a, b) => b.runs - a.runs)
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

/**
 * Evidence after k of n that the rate is above `rate`, every higher rate being equally likely before. While the rate is not above it, the
 * mean is at most 1 and the evidence ever reaches x with a probability of at most 1/x. The trials may differ in their rates if each is
 * repeated equally often; then it is about their mean.
 */
export function weighHigherRate(k: number, n: number, rate: number): number {
  const likelihood = logBeta(k + 1, n - k + 1) - k * Math.log(rate) - (n - k) * Math.log1p(-rate)
  const above = betaCdf(1 - rate, n - k + 1, k + 1)
  return (Math.exp(likelihood) * above) / (1 - rate)
}

export function weighLowerRate(k: number, n: number, rate: number): number {
  return weighHigherRate(n - k, n, 1 - rate)
}

interface Thefts {
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

/** A mean of shares of queries. Wilson's interval counts the queries: runs of one query are alike. At least one share. */
export function meanShare(shares: readonly number[], weights: readonly number[] = shares.map(() => 1)): TriggerShare {
  const total = weights.reduce((sum, one) => sum + one, 0)
  const value = Math.min(1, shares.reduce((sum, one, at) => sum + one * (weights[at] ?? 0), 0) / total)
  return toTriggerShare(value, shares.length)
}
