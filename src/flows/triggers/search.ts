/** Searches a better description: proposes and measures on the training queries, then compares the best once on the others. */
import type { TriggerResult } from '../../../schemas/triggers.ts'
import { permuteWithinCases } from '../../phases/4-report/stats/permutation.ts'

/** The runs of a query, as far as they matter: how many behave, out of how many. */
export type Measured = Pick<TriggerResult, 'query_id' | 'should_trigger' | 'triggers' | 'runs'>

export interface Attempt<M extends Measured> {
  round: number
  description: string
  /** null: it was not measured. */
  train: readonly M[] | null
  refused: string | null
}

/** What a search is made of; the queries of the test reach nobody but `compare`. */
export interface SearchParts<M extends Measured> {
  original: string
  rounds: number
  alpha: number
  seed: number
  /** On the training queries. */
  measure: (description: string, round: number) => Promise<readonly M[]>
  /** From the best so far. `problem`: why it can't be measured. */
  propose: (
    best: Attempt<M>,
    attempts: readonly Attempt<M>[],
  ) => Promise<{ description: string; problem: string | null }>
  /** Both on the queries kept for the end, in turns, fresh. */
  compare: (before: string, after: string) => Promise<{ before: readonly M[]; after: readonly M[] }>
}

export interface SearchEnd<M extends Measured> {
  attempts: Attempt<M>[]
  best: Attempt<M>
  /** null: the test was not touched. */
  test: { before: readonly M[]; after: readonly M[]; difference: number; pValue: number } | null
  accepted: boolean
  reason: string
}

/** The test decides nothing but whether the one that the training queries chose is kept. */
export async function searchDescription<M extends Measured>(parts: SearchParts<M>): Promise<SearchEnd<M>> {
  const first = { round: 0, description: parts.original, train: await parts.measure(parts.original, 0), refused: null }
  const attempts: Attempt<M>[] = [first]
  let best: Attempt<M> = first
  for (let round = 1; round <= parts.rounds && scoreOf(best) < 1; round += 1) {
    const { description, problem } = await parts.propose(best, attempts)
    const isKnown = attempts.some((one) => one.description === description)
    const refused = problem ?? (isKnown ? 'it was tried already' : null)
    const train = refused === null ? await parts.measure(description, round) : null
    const attempt = { round, description, train, refused }
    attempts.push(attempt)
    if (scoreOf(attempt) > scoreOf(best) + 1e-9) best = attempt
  }
  if (best === first) {
    const why = scoreOf(first) === 1 ? 'the description is right on every training query' : 'no proposal did better'
    return {
      attempts,
      best,
      test: null,
      accepted: false,
      reason: `${why}; the queries kept for the end were not asked`,
    }
  }
  const compared = await parts.compare(parts.original, best.description)
  const { difference, pValue } = pairedTest(compared, parts.seed)
  const accepted = difference > 0 && pValue <= parts.alpha
  return {
    attempts,
    best,
    test: { ...compared, difference, pValue },
    accepted,
    reason: reasonOf({ accepted, difference, pValue }),
  }
}

function reasonOf({ accepted, difference, pValue }: { accepted: boolean; difference: number; pValue: number }): string {
  const points = Math.round(difference * 100)
  const seen = `on queries that it was not made from, ${Math.abs(points)} points ${points < 0 ? 'worse' : 'better'} (p = ${pValue.toPrecision(2)})`
  if (accepted) return seen
  return difference > 0 ? `${seen}, which chance explains` : `${seen}: its gain was that of the training queries`
}

/** The share of runs that do as they should, of each query with an answer. */
function behavesOf({ should_trigger, triggers, runs }: Measured): number | null {
  if (runs === 0) return null
  return (should_trigger ? triggers : runs - triggers) / runs
}

/** The mean over queries; −1 of what was not measured. */
export function meanBehaves(results: readonly Measured[]): number {
  const known = results.flatMap((one) => behavesOf(one) ?? [])
  return known.length === 0 ? -1 : known.reduce((sum, one) => sum + one, 0) / known.length
}

function scoreOf({ train }: Pick<Attempt<Measured>, 'train'>): number {
  return train === null ? -1 : meanBehaves(train)
}

/** Of the runs of both descriptions on the same queries: were they equal on each query, how often would the gain be this large? */
export function pairedTest<M extends Measured>(
  { before, after }: { before: readonly M[]; after: readonly M[] },
  seed: number,
): { difference: number; pValue: number } {
  const cases = after.flatMap((one) => {
    const old = before.find(({ query_id }) => query_id === one.query_id)
    return old === undefined || old.runs === 0 || one.runs === 0
      ? []
      : [{ candidate: outcomesOf(one), baseline: outcomesOf(old) }]
  })
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
  if (cases.length === 0) return { difference: 0, pValue: 1 }
  const difference = mean(cases.map(({ candidate, baseline }) => mean(candidate) - mean(baseline)))
  return { difference, pValue: permuteWithinCases(cases, seed).above }
}

/** 1 for each run that behaves, 0 for each other. */
function outcomesOf({ should_trigger, triggers, runs }: Measured): number[] {
  const right = should_trigger ? triggers : runs - triggers
  return Array.from({ length: runs }, (_, at) => (at < right ? 1 : 0))
}
