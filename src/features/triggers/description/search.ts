/** Searches for a better description: proposes and measures on training queries, then compares the best once on the others. */
import type { TriggerResult } from '../../../../schemas/triggers.ts'
import { permuteWithinCases } from '../../../phases/4-report/stats/tests/permutation.ts'

/** A query's relevant results: how many runs behave as they should, out of how many. */
export type MeasuredQuery = Pick<TriggerResult, 'query_id' | 'should_trigger' | 'triggers' | 'runs'>

export interface MeasuredAttempt<M extends MeasuredQuery> {
  round: number
  description: string
  /** null: not measured. */
  train: readonly M[] | null
  refused: string | null
}

/** The parts of a search; only `compare` sees the test queries. */
export interface SearchParts<M extends MeasuredQuery> {
  original: string
  rounds: number
  alpha: number
  seed: number
  /** Measures on the training queries. */
  measure: (description: string, round: number) => Promise<readonly M[]>
  /** Proposes from the best so far. `problem`: why it can't be measured. */
  propose: (
    best: MeasuredAttempt<M>,
    attempts: readonly MeasuredAttempt<M>[],
  ) => Promise<{ description: string; problem: string | null }>
  /** Runs both on the test queries, interleaved and without reuse. */
  compare: (before: string, after: string) => Promise<{ before: readonly M[]; after: readonly M[] }>
}

export interface SearchEnd<M extends MeasuredQuery> {
  attempts: MeasuredAttempt<M>[]
  best: MeasuredAttempt<M>
  /** null: the test queries were not used. */
  test: { before: readonly M[]; after: readonly M[]; difference: number; pValue: number } | null
  accepted: boolean
  reason: string
}

/** The test only decides whether to keep the description that the training queries selected. */
export async function searchDescription<M extends MeasuredQuery>(parts: SearchParts<M>): Promise<SearchEnd<M>> {
  const first = { round: 0, description: parts.original, train: await parts.measure(parts.original, 0), refused: null }
  const attempts: MeasuredAttempt<M>[] = [first]
  let best: MeasuredAttempt<M> = first
  for (let round = 1; round <= parts.rounds && attemptScore(best) < 1; round += 1) {
    const { description, problem } = await parts.propose(best, attempts)
    const isKnown = attempts.some((one) => one.description === description)
    const refused = problem ?? (isKnown ? 'it was tried already' : null)
    const train = refused === null ? await parts.measure(description, round) : null
    const attempt = { round, description, train, refused }
    attempts.push(attempt)
    if (attemptScore(attempt) > attemptScore(best) + 1e-9) best = attempt
  }
  if (best === first) {
    const why =
      attemptScore(first) === 1 ? 'the description is right on every training query' : 'no proposal did better'
    return {
      attempts,
      best,
      test: null,
      accepted: false,
      reason: `${why}; the test queries were not asked`,
    }
  }
  const compared = await parts.compare(parts.original, best.description)
  const { difference, pValue } = runPairedTest(compared, parts.seed)
  const accepted = difference > 0 && pValue <= parts.alpha
  return {
    attempts,
    best,
    test: { ...compared, difference, pValue },
    accepted,
    reason: explainSearchResult({ accepted, difference, pValue }),
  }
}

function explainSearchResult({
  accepted,
  difference,
  pValue,
}: {
  accepted: boolean
  difference: number
  pValue: number
}): string {
  const points = Math.round(difference * 100)
  const seen = `on test queries that the proposer did not see, ${Math.abs(points)} points ${points < 0 ? 'worse' : 'better'} (p = ${pValue.toPrecision(2)})`
  if (accepted) return seen
  return difference > 0
    ? `${seen}, not statistically significant`
    : `${seen}: the gain on the training queries did not carry over`
}

/** The share of a query's runs that behave as they should; null: no answer. */
function behaveRate({ should_trigger, triggers, runs }: MeasuredQuery): number | null {
  if (runs === 0) return null
  return (should_trigger ? triggers : runs - triggers) / runs
}

/** The mean over queries; −1 if nothing was measured. */
export function meanBehaveRate(results: readonly MeasuredQuery[]): number {
  const known = results.flatMap((one) => behaveRate(one) ?? [])
  return known.length === 0 ? -1 : known.reduce((sum, one) => sum + one, 0) / known.length
}

function attemptScore({ train }: Pick<MeasuredAttempt<MeasuredQuery>, 'train'>): number {
  return train === null ? -1 : meanBehaveRate(train)
}

/** Compares paired runs on the same queries: if both were equal on each query, how often would the gain be this large? */
export function runPairedTest<M extends MeasuredQuery>(
  { before, after }: { before: readonly M[]; after: readonly M[] },
  seed: number,
): { difference: number; pValue: number } {
  const cases = after.flatMap((one) => {
    const old = before.find(({ query_id }) => query_id === one.query_id)
    return old === undefined || old.runs === 0 || one.runs === 0
      ? []
      : [{ candidate: toOutcomes(one), baseline: toOutcomes(old) }]
  })
  const mean = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length
  if (cases.length === 0) return { difference: 0, pValue: 1 }
  const difference = mean(cases.map(({ candidate, baseline }) => mean(candidate) - mean(baseline)))
  return { difference, pValue: permuteWithinCases(cases, seed).above }
}

/** 1 for each run that behaves as it should, else 0. */
function toOutcomes({ should_trigger, triggers, runs }: MeasuredQuery): number[] {
  const right = should_trigger ? triggers : runs - triggers
  return Array.from({ length: runs }, (_, at) => (at < right ? 1 : 0))
}
