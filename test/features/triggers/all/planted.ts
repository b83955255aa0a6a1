/** Simulates `triggers --all`: skills whose queries are read as planned, with the product's own stop and its own result. */

import {
  type CountedQuery,
  countPairs,
  countRivals,
  findThefts,
  isTheftDecided,
  selectOwnQueries,
  theftRule,
} from '../../../../src/features/triggers/all/theft_rule.ts'
import { betaCdf } from '../../../../src/phases/4-report/stats/distributions/quantiles.ts'
import { createSeededRandom } from '../../../../src/phases/4-report/stats/distributions/seeded_random.ts'

export interface Planted {
  skills: number
  /** Of each skill. */
  queries: number
  /** Most runs of a query. */
  most: number
  /** The first thieves take queries of the skill before them. */
  thieves: number
  /** Rate of a thief, drawn uniformly for each. */
  theft: readonly [number, number]
  /** Rates of an honest run: its own skill, any other skill; else none. */
  own: number
  background: number
}

/** What the issue asks for: 30 skills × 5 queries with three thieves, each taking 60–80% of another's runs. */
export const threeThieves: Planted = {
  skills: 30,
  queries: 5,
  most: 5,
  thieves: 3,
  theft: [0.6, 0.8],
  own: 0.9,
  background: 0.02,
}

export interface Simulated {
  found: number
  wrong: number
  /** Share of the full grid that was run. */
  share: number
  /** Planted thefts whose 95% interval holds the true rate. */
  covered: number
  /** Pairs without a theft that a test of each alone at 5% would name. */
  oneByOne: number
}

function simulateMatrix(plan: Planted, seed: number): Simulated {
  const random = createSeededRandom(seed)
  const names = Array.from({ length: plan.skills }, (_, at) => `skill-${at}`)
  const thefts = new Map<string, { thief: string; rate: number }>()
  for (let at = 0; at < plan.thieves; at += 1) {
    const [low, high] = plan.theft
    thefts.set(names[2 * at] ?? '', { thief: names[2 * at + 1] ?? '', rate: low + (high - low) * random() })
  }
  const queries: CountedQuery[] = names.flatMap((skill, at) =>
    Array.from({ length: plan.queries }, (_, index) => ({
      ...{ query_id: at * plan.queries + index + 1, asked_with: skill, owners: [skill], not_of: [] },
      ...{ runs: 0, reads: [] },
    })),
  )
  const pairs = countPairs(queries, names)
  let runs = 0
  for (const skill of names) {
    const own = selectOwnQueries(queries, skill)
    for (let round = 1; round <= plan.most; round += 1) {
      for (const query of own) draw(query, readOne(skill, { names, theft: thefts.get(skill), plan, random }))
      runs += own.length
      if (isTheftDecided(countRivals(own, { skill, installed: names }), pairs)) break
    }
  }
  const made = findThefts(queries, { skills: names, installed: names })
  const named = made.pairs.filter((one) => one.named)
  const isTrue = ({ skill, taken_by }: { skill: string; taken_by: string }) => thefts.get(skill)?.thief === taken_by
  const covered = made.pairs.filter((one) => {
    const rate = isTrue(one) ? (thefts.get(one.skill)?.rate ?? -1) : -1
    return one.rate.ci_low <= rate && rate <= one.rate.ci_high
  })
  const found = named.filter(isTrue).length
  const share = runs / (plan.skills * plan.queries * plan.most)
  const oneByOne = made.pairs.filter((one) => !isTrue(one) && binomialTail(one.reads, one.runs) <= 0.05).length
  return { found, wrong: named.length - found, share, covered: covered.length, oneByOne }
}

/** P(X ≥ k) at the tolerated rate. */
function binomialTail(k: number, n: number): number {
  return betaCdf(theftRule.tolerated_rate, k, n - k + 1)
}

function draw(query: CountedQuery, read: string | null): void {
  query.runs += 1
  const reads = query.reads.map((one) => (one.skill === read ? { ...one, runs: one.runs + 1 } : one))
  query.reads = query.reads.some(({ skill }) => skill === read) ? reads : [...reads, { skill: read, runs: 1 }]
}

interface Draw {
  names: readonly string[]
  theft: { thief: string; rate: number } | undefined
  plan: Planted
  random: () => number
}

function readOne(skill: string, { names, theft, plan, random }: Draw): string | null {
  if (theft !== undefined && random() < theft.rate) return theft.thief
  const where = random()
  if (where < plan.own) return skill
  if (where >= plan.own + plan.background) return null
  const others = names.filter((name) => name !== skill)
  return others[Math.floor(random() * others.length)] ?? null
}

/** Means over simulations. */
export function simulateMatrices(plan: Planted, count: number) {
  const made = Array.from({ length: count }, (_, at) => simulateMatrix(plan, 7919 * at + 1))
  const mean = (of: (one: Simulated) => number) => made.reduce((sum, one) => sum + of(one), 0) / made.length
  return {
    power: plan.thieves === 0 ? null : mean(({ found }) => found) / plan.thieves,
    /** Share of simulations in which all thieves are named. */
    allFound: mean(({ found }) => (found === plan.thieves ? 1 : 0)),
    fdr: mean(({ found, wrong }) => (wrong === 0 ? 0 : wrong / (found + wrong))),
    clean: mean(({ wrong }) => (wrong === 0 ? 1 : 0)),
    cleanOneByOne: mean(({ oneByOne }) => (oneByOne === 0 ? 1 : 0)),
    share: mean(({ share }) => share),
    coverage: plan.thieves === 0 ? null : mean(({ covered }) => covered) / plan.thieves,
  }
}
