/** Shows why the winner of a comparison won, with both sides named. */
import type { Analysis } from '../../../schemas/analysis.ts'
import { displayArm, revealHidden } from '../../format.ts'

export function WhyWon({ analysis }: { analysis: Analysis }) {
  const { comparison_summary: summary, winner_strengths, loser_weaknesses, improvement_suggestions } = analysis
  const { winner_execution_pattern, loser_execution_pattern } = analysis.transcript_insights
  return (
    <div class="card scope">
      <p>
        <strong>
          <bdi>{revealHidden(displayArm(summary.winner_skill))}</bdi>
        </strong>{' '}
        over <bdi>{revealHidden(displayArm(summary.loser_skill))}</bdi>
      </p>
      <p class="text">{summary.comparator_reasoning}</p>
      <ul class="notes">
        {winner_strengths.map((text) => (
          <li key={text}>
            <span class="better">+</span> {text}
          </li>
        ))}
        {loser_weaknesses.map((text) => (
          <li key={text}>
            <span class="worse">−</span> {text}
          </li>
        ))}
      </ul>
      <p class="text hint">How the winner worked: {winner_execution_pattern}</p>
      <p class="text hint">How the loser worked: {loser_execution_pattern}</p>
      <ol class="notes">
        {improvement_suggestions.map(({ priority, category, suggestion, expected_impact }) => (
          <li key={suggestion}>
            <em class="tag">{priority}</em> <em class="tag">{category}</em> {suggestion}{' '}
            <small>{expected_impact}</small>
          </li>
        ))}
      </ol>
    </div>
  )
}
