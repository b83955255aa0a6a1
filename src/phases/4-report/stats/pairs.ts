/** Pairs of runs, the same run number of a case in both arms, and the blocks that they form: one pair of every case. */
import type { CaseScores } from './case_scores.ts'

export interface Pair {
  candidate: number
  baseline: number
}

/** By run number, from 1 to `last`; a run whose partner has no score is in no pair. */
function pairsOf(one: CaseScores, last: number): Map<number, Pair> {
  const numberOf = (side: 'candidate' | 'baseline', at: number) => one.numbers?.[side][at] ?? at + 1
  const others = new Map(one.baseline.map((score, at) => [numberOf('baseline', at), score]))
  const pairs = new Map<number, Pair>()
  for (const [at, candidate] of one.candidate.entries()) {
    const number = numberOf('candidate', at)
    const baseline = others.get(number)
    if (baseline !== undefined && number <= last) pairs.set(number, { candidate, baseline })
  }
  return pairs
}

export interface Blocks {
  /** Every pair. */
  pairs: Pair[]
  /** The pairs of each block in which no case lacks its pair, in the order of their numbers. */
  whole: Pair[][]
}

/** Of blocks 1 to `last`. */
export function blocksOf(cases: readonly CaseScores[], last: number): Blocks {
  const made = cases.map((one) => pairsOf(one, last))
  const numbers = [...new Set(made.flatMap((one) => [...one.keys()]))].sort((a, b) => a - b)
  const blocks = numbers.map((number) => made.flatMap((one) => one.get(number) ?? []))
  return { pairs: blocks.flat(), whole: blocks.filter((pairs) => pairs.length === cases.length) }
}
