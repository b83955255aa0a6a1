/** The picture of the verdict: the pass rate of each configuration as a bar, and the difference with its interval in both scopes. */
import type { ComponentChildren } from 'preact'
import type { Scope } from '../../../schemas/benchmark_statistics.ts'
import type { PageDifference } from '../../../schemas/page.ts'
import type { Model } from '../../data/model.ts'
import { Forest } from '../../parts/charts/difference_chart.tsx'
import { isSimilarCases, splitHeadline, withoutVerdict } from './headline.ts'

const verdictWords = {
  helps: 'Helps',
  hurts: 'Hurts',
  too_easy: 'Too easy',
  too_hard: 'Too hard',
  no_difference: 'No difference',
  inconclusive: 'Inconclusive',
  not_comparable: 'Not comparable',
  incomplete: 'Incomplete',
} satisfies Record<Scope['verdict'], string>

/** Whether there is a difference to draw. */
export function hasVerdictPicture({ page: { said, benchmark } }: Model): boolean {
  const mean = benchmark.statistics?.scopes?.these_cases.difference.mean ?? null
  return mean !== null && said.scopes !== undefined && said.scopes.these_cases.points !== ''
}

export function VerdictPicture({ model }: { model: Model }) {
  const { said, benchmark, compared } = model.page
  const scopes = benchmark.statistics?.scopes
  const shown = said.scopes
  if (!scopes || shown === undefined) return null
  const words = compared === undefined ? verdictWords : { ...verdictWords, helps: 'B is better', hurts: 'B is worse' }
  const similar = said.sureness.find(isSimilarCases)
  const text =
    similar === undefined
      ? shown.cases_like_these.interval
      : withoutVerdict(similar, splitHeadline(said.headline, true).sample)
  return (
    <section class="card picture" aria-label="Pass rates and their difference">
      <RateBars model={model} />
      <Difference name="These cases" scope={scopes.these_cases} shown={shown.these_cases} words={words} />
      {text !== '' && (
        <Difference name="Similar cases" scope={scopes.cases_like_these} shown={shown.cases_like_these} words={words}>
          {text}
        </Difference>
      )}
    </section>
  )
}

/** The pass rates of the table, each as a bar from 0 to 100%; the dots are the legend of the page. */
function RateBars({ model }: { model: Model }) {
  const { said, benchmark } = model.page
  const row = said.rows.find(([label]) => label === 'pass rate')
  const difference = benchmark.statistics?.scopes?.these_cases.difference
  if (row === undefined) return null
  return (
    <>
      <p class="axis">pass rate, 0 to 100%: mean of the cases ± standard deviation of the runs</p>
      {[difference?.candidate_mean, difference?.baseline_mean].map((mean, place) => (
        <div class="picture-row" key={said.header[place + 1]}>
          <span>
            <i class={`dot arm-${place}`} />
            {said.header[place + 1]}
          </span>
          <svg class="rate-bar" width="100%" height="16" aria-hidden="true">
            <rect class="track" width="100%" height="16" rx="3" />
            {mean !== undefined && <rect class={`level arm-${place}`} width={`${100 * mean}%`} height="16" rx="3" />}
          </svg>
          <strong>{row[place + 1]}</strong>
        </div>
      ))}
      <p class="axis">difference in points, -100 to +100; dotted line: no difference</p>
    </>
  )
}

interface DifferenceProps {
  name: string
  scope: Scope
  shown: PageDifference
  words: typeof verdictWords
  children?: ComponentChildren
}

/** Without an interval there is no mark: it would look like a result. */
function Difference({ name, scope, shown, words, children }: DifferenceProps) {
  const { mean, ci_low, ci_high } = scope.difference
  return (
    <div class="picture-row">
      <span>{name}</span>
      <div>
        {(children === undefined || ci_low !== null) && (
          <Forest mean={mean} low={ci_low} high={ci_high} shown={shown} large />
        )}
        {children}
      </div>
      <span class={`chip ${scope.verdict}`}>{words[scope.verdict]}</span>
    </div>
  )
}
