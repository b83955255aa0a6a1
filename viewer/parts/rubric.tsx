/** A rubric's scores with what the judge gave as reasons. */
import type { RubricResult } from '../../schemas/rubric.ts'
import { percent } from '../words.ts'

const best = 5

export function Rubric({ rubric }: { rubric: RubricResult }) {
  const { dimensions, hard_fails, weighted_score, threshold, passed } = rubric
  const total = dimensions.reduce((sum, { weight }) => sum + weight, 0)
  return (
    <section aria-labelledby="rubric">
      <div class="section-head">
        <h2 id="rubric">Rubric</h2>
        <span class={`chip ${passed ? 'pass' : 'fail'}`}>
          {weighted_score} of {best}, {threshold} passes
        </span>
      </div>
      <ul class="verdicts">
        {dimensions.map(({ name, weight, score, justification }) => (
          <li key={name}>
            <p class="statement">
              <span class="sign">{score}</span>
              <span>
                <bdi>{name}</bdi> <em class="tag">{percent(weight / total)}</em>
              </span>
            </p>
            <div class="text evidence">{justification}</div>
          </li>
        ))}
        {hard_fails.map(({ text, evidence }) => (
          <li key={text} class="fail">
            <p class="statement">
              <span class="sign" role="img" aria-label="not met">
                ✗
              </span>
              <span>
                <bdi>{text}</bdi> <em class="tag bad">hard fail</em>
              </span>
            </p>
            <div class="text evidence">{evidence}</div>
          </li>
        ))}
      </ul>
    </section>
  )
}
