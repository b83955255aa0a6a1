/** The comparison that decides a session: v0 and the best version on held-out cases, the tests, the guards and the judge. */
import type { ComponentChildren } from 'preact'
import type { Certification, HeldOutComparison } from '../../../../schemas/history/certification.ts'
import type { Model } from '../../../data/model.ts'
import { displayPercent, displayPlural, displayPointRange, displayProbability, displayRates } from '../../../format.ts'
import { Forest } from '../../../parts/charts/difference_chart.tsx'
import { Share } from '../../../parts/charts/rate_chart.tsx'
import { Figure } from '../../../parts/charts/rate_figure.tsx'
import { ReportLink } from '../../../parts/run/report_link.tsx'
import { HeldOutCases } from './held_out_cases.tsx'
import { Judge } from './judge.tsx'

interface Props {
  model: Model
  certification: Certification
}

export function CertificationResult({ model, certification }: Props) {
  const { best, benchmark, goal, gain } = certification
  return (
    <>
      <section aria-labelledby="certification">
        <h2 id="certification">
          Certification{' '}
          <small>
            <bdi>{best}</bdi> against v0 on held-out cases; goal:{' '}
            {goal === 'cheaper' ? 'as good and cheaper' : 'better'};{' '}
            <ReportLink model={model} folder={benchmark}>
              {displayPlural(gain.n_runs, 'run')} of both
            </ReportLink>
          </small>
        </h2>
        {gain.n_cases > 0 && <Figures certification={certification} />}
        <Judge judge={certification.judge} />
        <Guards guards={certification.guards} />
      </section>
      <HeldOutCases model={model} compared={certification} />
    </>
  )
}

function Figures({ certification }: Pick<Props, 'certification'>) {
  const { v0, candidate, gain, best } = certification
  const shown = displayRates(candidate.mean, v0.mean)
  const { ci_low, ci_high } = gain
  const range = ci_low === null || ci_high === null ? null : displayPointRange(ci_low, ci_high)
  const texts = { points: shown.difference, interval: range === null ? '' : `95% CI ${range}` }
  return (
    <div class="figures">
      <PassRate name="v0" rate={v0} shown={shown.baseline} nCases={gain.n_cases} />
      <PassRate name={best} rate={candidate} shown={shown.candidate} nCases={gain.n_cases} />
      <Figure name="gain" value={shown.difference} range={range}>
        points{gain.method === null ? '' : `, interval by ${gain.method.replaceAll('_', ' ')}`}
        <Forest mean={gain.mean} low={ci_low} high={ci_high} shown={texts} />
        -100 to +100; dotted line: no difference
      </Figure>
      <Significance certification={certification} />
    </div>
  )
}

/** With fewer cases, or if all agree, the interval is of Wilson's kind: it counts whole runs. */
const leastCases = 8

interface PassRateProps {
  name: string
  rate: HeldOutComparison['v0']
  shown: string
  nCases: number
}

function PassRate({ name, rate: { mean, ci_low, ci_high }, shown, nCases }: PassRateProps) {
  const range = ci_low === null || ci_high === null ? null : `${displayPercent(ci_low)} to ${displayPercent(ci_high)}`
  const countsRuns = nCases < leastCases || mean === 0 || mean === 1
  return (
    <Figure name={name} value={shown} range={range}>
      mean pass rate of {displayPlural(nCases, 'case')}, 0 to 100%
      {range !== null && countsRuns ? '; the interval is wide because it counts each run as one observation' : ''}
      <Share value={mean} low={ci_low} high={ci_high} />
    </Figure>
  )
}

/** The p-values; the one over the cases decides only where a case got worse. */
function Significance({ certification }: Pick<Props, 'certification'>) {
  const { p_value, p_over_cases, alpha, goal, cases } = certification
  const isMixed = cases.some(({ v0, candidate }) => candidate < v0)
  if (p_value === null) return null
  return (
    <Figure name="p-value" value={displayProbability(p_value).replace(/^= /, '')} range={null}>
      one-sided, moderated t{goal === 'cheaper' ? '; for better, which is not the goal here' : ''}
      <Line>alpha {alpha}: the significance level was spent once, here; the search before it has spent none</Line>
      {p_over_cases !== null && isMixed && (
        <Line>
          over the cases p {displayProbability(p_over_cases)} (paired t), which must be at most alpha, too, because a
          case got worse
        </Line>
      )}
    </Figure>
  )
}

function Line({ children }: { children: ComponentChildren }) {
  return <span class="line">{children}</span>
}

const marks = { true: '✓', false: '✗', null: '?' } as const
const words = { true: 'passed', false: 'not passed', null: 'not known' } as const

function Guards({ guards }: Pick<Certification, 'guards'>) {
  if (guards.length === 0) return null
  return (
    <>
      <h3 class="below" id="guards">
        Guards
      </h3>
      <ul class="guards" aria-labelledby="guards">
        {guards.map(({ name, passed, message }) => (
          <li key={name}>
            <span
              class={passed === null ? 'quiet' : passed ? 'better' : 'worse'}
              role="img"
              aria-label={words[`${passed}`]}
            >
              {marks[`${passed}`]}
            </span>{' '}
            <span>{message}</span>
          </li>
        ))}
      </ul>
    </>
  )
}
