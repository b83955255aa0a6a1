/** Shows a rubric's scores with the judge's reasons. */
import type { RubricResult } from '../../../schemas/rubric.ts'
import type { Quotable, QuotePlace } from '../../data/quotes/quotes.ts'
import { displayPercent } from '../../format.ts'
import { EvidenceText } from './evidence.tsx'

const best = 5

interface Props {
  rubric: RubricResult
  detail: Quotable | null
  show(place: QuotePlace, quote: string): void
}

export function RubricScores({ rubric, detail, show }: Props) {
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
        {dimensions.map(({ name, weight, score, justification, ...found }) => (
          <li key={name}>
            <p class="statement">
              <span class="sign">{score}</span>
              <span>
                <bdi>{name}</bdi> <em class="tag">{displayPercent(weight / total)}</em>
              </span>
            </p>
            <EvidenceText one={{ ...found, evidence: justification }} detail={detail} show={show} />
          </li>
        ))}
        {hard_fails.map(({ text, ...one }) => (
          <li key={text} class="fail">
            <p class="statement">
              <span class="sign" role="img" aria-label="failed">
                ✗
              </span>
              <span>
                <bdi>{text}</bdi> <em class="tag bad">hard fail</em>
              </span>
            </p>
            <EvidenceText one={one} detail={detail} show={show} />
          </li>
        ))}
      </ul>
    </section>
  )
}
