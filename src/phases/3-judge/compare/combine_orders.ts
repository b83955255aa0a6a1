/** Combines two judgements in opposite orders: agreement is the verdict, disagreement is a tie. */
import type { ComparedSide, Comparison } from '../../../../schemas/comparison.ts'
import { contradicts, type OrderJudgement, type SideLabel, scoreSide, toComparedResults } from './answer.ts'

/** The verdict and its reasons, in the seed's form. Scores are the means of both judgements. */
export function combineJudgements(
  [one, two]: readonly [OrderJudgement, OrderJudgement],
  expectations: readonly string[],
): Pick<
  Comparison,
  | 'winner'
  | 'reasoning'
  | 'rubric'
  | 'output_quality'
  | 'expectation_results'
  | 'order'
  | 'flips'
  | 'judgements'
  | 'contradicts_scores'
> {
  const agree = one.winner === two.winner
  const winner = agree ? one.winner : 'TIE'
  const rubric = { A: meanSide('A', one, two), B: meanSide('B', one, two) }
  const quality = (label: SideLabel) => ({
    score: Math.round(rubric[label].overall_score),
    strengths: [...new Set([...one.strengths[label], ...two.strengths[label]])],
    weaknesses: [...new Set([...one.weaknesses[label], ...two.weaknesses[label]])],
  })
  const met = (label: SideLabel) =>
    toComparedResults(
      expectations,
      one.passed[label].map((passed, index) => passed && two.passed[label][index] === true),
    )
  return {
    winner,
    reasoning: agree ? one.reasoning : disagreement(one, two),
    rubric,
    output_quality: { A: quality('A'), B: quality('B') },
    ...(expectations.length > 0 && { expectation_results: { A: met('A'), B: met('B') } }),
    order: [one.first, two.first],
    flips: agree ? 0 : 1,
    judgements: [one, two].map(({ first, winner: said, reasoning, rubric: { A, B }, contradicts: against }) => ({
      shown_first: first,
      winner: said,
      reasoning,
      overall_score: { A: A.overall_score, B: B.overall_score },
      contradicts_scores: against,
    })),
    contradicts_scores: one.contradicts || two.contradicts || contradicts(winner, rubric),
  }
}

function disagreement(one: OrderJudgement, two: OrderJudgement): string {
  const said = ({ first, winner, reasoning }: OrderJudgement) =>
    `With ${first} shown first the judge said ${winner}: ${reasoning}`
  return `The verdict changed with the order, so the pair counts as a tie. ${said(one)} ${said(two)}`
}

function meanSide(label: SideLabel, one: OrderJudgement, two: OrderJudgement): ComparedSide {
  const mean = (part: 'content' | 'structure') => {
    const second = two.rubric[label][part]
    return Object.fromEntries(
      Object.entries(one.rubric[label][part]).map(([name, score]) => [name, (score + (second[name] ?? score)) / 2]),
    )
  }
  return scoreSide(mean('content'), mean('structure'))
}
