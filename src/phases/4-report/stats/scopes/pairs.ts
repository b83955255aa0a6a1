/** Pairs of runs: the same run number of a case in both arms. A block is one pair of every case. */
import type { CaseScores } from '../scores/case_scores.ts'

export interface ScorePair {
  candidate: number
  baseline: number
}

/** For each case, what each block from 1 to `last` has: its pair, or nothing where a run has no score. */
export function pairByBlock(cases: readonly CaseScores[], last: number): ScorePair[][][] {
  return cases.map((one) => {
    const pairs = pairScores(one)
    return Array.from({ length: last }, (_, at) => pairs.get(at + 1) ?? []).map((pair) => [pair].flat())
  })
}

/** By run number. */
function pairScores(one: CaseScores): Map<number, ScorePair> {
  const numberOf = (side: 'candidate' | 'baseline', at: number) => one.numbers?.[side][at] ?? at + 1
  const others = new Map(one.baseline.map((score, at) => [numberOf('baseline', at), score]))
  return new Map(
    one.candidate.flatMap((candidate, at) => {
      const baseline = others.get(numberOf('candidate', at))
      return baseline === undefined ? [] : [[numberOf('candidate', at), { candidate, baseline }] as const]
    }),
  )
}
