/** The blind comparisons in words: one sentence, and warnings that make them doubtful. */
import type { ComparisonSummary } from '../../../../schemas/comparison_summary.ts'
import { formatFixed } from '../stats/numbers/round.ts'
import { formatConfiguration, formatPercent, formatPlural, pText } from '../text/format.ts'

type ComparisonCounts = Omit<ComparisonSummary, 'sentence' | 'warnings'>

/** "Blind and in both orders, with skill wins 7 of 12 pairs against without skill, loses 3, 2 ties (win rate 67% …)." */
export function comparisonSentence(counted: ComparisonCounts): string {
  const { a, b, pairs, wins, losses, ties, win_rate, ci_low, ci_high, p_value } = counted
  if (pairs === 0 || win_rate === null)
    return `Blind comparison of ${formatConfiguration(a)} and ${formatConfiguration(b)}: no pair has been judged.`
  const range = ci_low === null || ci_high === null ? '' : ` [${formatPercent(ci_low)}, ${formatPercent(ci_high)}]`
  const p = p_value === null ? '' : `, sign test ${pText(p_value)}`
  return `Blind and in both orders, ${formatConfiguration(a)} wins ${wins} of ${formatPlural(pairs, 'pair')} against ${formatConfiguration(b)}, loses ${losses}, ${formatPlural(ties, 'tie')} (win rate ${formatPercent(win_rate)}${range}${p}).`
}

/** Flip rates and length correlations that make a judge's preference doubtful. */
const doubtful = { flipRate: 0.25, correlation: 0.7, pairs: 8 }

export function comparisonWarnings(counted: ComparisonCounts): string[] {
  const { pairs, flips, flip_rate, shown_first_wins, length_correlation, contradictions, errors } = counted
  const { won, decided } = shown_first_wins
  return [
    ...(flip_rate !== null && flips > 0 && flip_rate >= doubtful.flipRate
      ? [
          `The judge changed ${flips} of ${formatPlural(pairs, 'verdict')} when the order was reversed (${flips === 1 ? 'it counts as a tie' : 'they count as ties'}); the side shown first won ${won} of ${formatPlural(decided, 'judgement')}.`,
        ]
      : []),
    ...(length_correlation !== null && pairs >= doubtful.pairs && Math.abs(length_correlation) >= doubtful.correlation
      ? [
          `Scores correlate with length (rank correlation ${formatFixed(length_correlation, 2)}): the ${length_correlation > 0 ? 'longer' : 'shorter'} output tends to win.`,
        ]
      : []),
    ...(contradictions > 0 ? [`In ${formatPlural(contradictions, 'pair')} the winner has the lower score.`] : []),
    ...(errors > 0
      ? [`${formatPlural(errors, 'pair')} could not be judged and ${errors === 1 ? 'does' : 'do'} not count here.`]
      : []),
  ]
}
