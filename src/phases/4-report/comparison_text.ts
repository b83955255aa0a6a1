/** The blind comparisons in words: one sentence, and what makes them doubtful. */
import type { ComparisonSummary } from '../../../schemas/comparison_summary.ts'
import { fixed } from './stats/round.ts'
import { armLabel, percent, plural, pText } from './words.ts'

type Counted = Omit<ComparisonSummary, 'sentence' | 'warnings'>

/** "Blind, in both orders: with skill wins 7 of 12 pairs, loses 3, 2 ties (win rate 67% [39%, 86%], sign test p = 0.34)." */
export function comparisonSentence(counted: Counted): string {
  const { a, b, pairs, wins, losses, ties, win_rate, ci_low, ci_high, p_value } = counted
  if (pairs === 0 || win_rate === null)
    return `Blind comparison of ${armLabel(a)} and ${armLabel(b)}: no pair is judged.`
  const range = ci_low === null || ci_high === null ? '' : ` [${percent(ci_low)}, ${percent(ci_high)}]`
  const p = p_value === null ? '' : `, sign test ${pText(p_value)}`
  return `Blind and in both orders, ${armLabel(a)} wins ${wins} of ${plural(pairs, 'pair')} against ${armLabel(b)}, loses ${losses}, ${plural(ties, 'tie')} (win rate ${percent(win_rate)}${range}${p}).`
}

/** Flips and lengths from which a judge's preference is doubtful. */
const doubtful = { flipRate: 0.25, correlation: 0.7, pairs: 8 }

export function comparisonWarnings(counted: Counted): string[] {
  const { pairs, flips, flip_rate, shown_first_wins, length_correlation, contradictions, errors } = counted
  const { won, decided } = shown_first_wins
  return [
    ...(flip_rate !== null && flips > 0 && flip_rate >= doubtful.flipRate
      ? [
          `The judge changed ${flips} of ${plural(pairs, 'verdict')} when the order was turned (${flips === 1 ? 'it counts as a tie' : 'they count as ties'}); what was shown first won ${won} of ${plural(decided, 'judgement')}.`,
        ]
      : []),
    ...(length_correlation !== null && pairs >= doubtful.pairs && Math.abs(length_correlation) >= doubtful.correlation
      ? [
          `Scores follow length (rank correlation ${fixed(length_correlation, 2)}): ${length_correlation > 0 ? 'the longer' : 'the shorter'} delivery tends to win.`,
        ]
      : []),
    ...(contradictions > 0
      ? [`In ${plural(contradictions, 'pair')} the judge named a winner with the lower score.`]
      : []),
    ...(errors > 0
      ? [`${plural(errors, 'pair')} could not be judged, and ${errors === 1 ? 'is' : 'are'} in no number here.`]
      : []),
  ]
}
