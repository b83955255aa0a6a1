/** Compares two contenders on the blocks that both ran, as `bench` compares two configurations on fixed cases. */
import { smallestPValue } from '../../../base/smallest_design.ts'
import { type CaseScores, keepComparable } from '../../../phases/4-report/stats/scores/case_scores.ts'
import { moderatedT } from '../../../phases/4-report/stats/tests/moderated_t.ts'
import type { CompareContenders } from './race.ts'

/** One contender's scores of one case, by block, from 0 to 1; null: the run has no score, or there is none. */
export interface BlockScores {
  scores: readonly (number | null)[]
  /** The mean number of expectations behind a score. */
  expectations: number
}

/** `contenders`: the cases of each, the same ones in the same order. */
export function compareByScores(contenders: readonly (readonly BlockScores[])[]): CompareContenders {
  return (a, b, { blocks, level }) => {
    const cases = keepComparable(pairCases(contenders[a] ?? [], contenders[b] ?? [], blocks))
    const found = moderatedT(cases, { alpha: level })
    if (found === null) return null
    const { mean: difference, low, high, pValue } = found
    // a few runs can't support a tiny p-value, however well they agree
    return { difference, low, high, pValue: Math.min(1, Math.max(pValue, smallestPValue(cases))) }
  }
}

function pairCases(a: readonly BlockScores[], b: readonly BlockScores[], blocks: number): CaseScores[] {
  return a.flatMap((own, at) => {
    const other = b[at]
    if (other === undefined) return []
    const [candidate, baseline] = [scoresUntil(own, blocks), scoresUntil(other, blocks)]
    const [n, m] = [candidate.length, baseline.length]
    const expectations = (n * own.expectations + m * other.expectations) / Math.max(1, n + m)
    return { candidate, baseline, expectations }
  })
}

function scoresUntil({ scores }: BlockScores, blocks: number): number[] {
  const known: number[] = []
  for (const score of scores.slice(0, blocks)) if (score !== null) known.push(score)
  return known
}
