/** Blind comparisons: the numbers over all, each pair's verdict, and why the winners won. */
import type { ComparisonSummary } from '../../schemas/comparison_summary.ts'
import type { Model } from '../data/model.ts'
import { Figure } from '../parts/figure.tsx'
import { Tree } from '../parts/json_tree.tsx'
import type { Route } from '../route.ts'
import { armLabel, dollars, percent, plural, probability, visible } from '../words.ts'
import { caseNamed, Pairs, Unjudged } from './pairs.tsx'
import { Why } from './why_won.tsx'

export function hasComparisons({ page: { benchmark, extras } }: Model): boolean {
  return benchmark.comparison !== undefined || extras.comparisons !== undefined || extras.analyses !== undefined
}

export function Compare({ model, route }: { model: Model; route: Route }) {
  const { benchmark, extras } = model.page
  const summary = benchmark.comparison as ComparisonSummary | undefined
  const { comparison_errors: errors = [], analyses = [] } = extras
  return (
    <>
      <header class="lead">
        <h1>{summary?.sentence ?? 'Blind comparisons'}</h1>
      </header>
      {summary !== undefined && <Summary summary={summary} />}
      <Pairs model={model} route={route} />
      {errors.length > 0 && <Unjudged model={model} errors={errors} />}
      {analyses.map(({ name, analysis }) => (
        <section key={name} aria-label={`Why: ${caseNamed(model, name).title}`}>
          <h2>
            Why the winner won{' '}
            <small>
              <bdi>{caseNamed(model, name).title}</bdi>
            </small>
          </h2>
          {'value' in analysis ? <Why analysis={analysis.value} /> : <Tree value={analysis.raw} />}
        </section>
      ))}
    </>
  )
}

function Summary({ summary }: { summary: ComparisonSummary }) {
  const { a, b, wins, losses, ties, win_rate, ci_low, ci_high, flips, flip_rate, pairs, p_value } = summary
  const { shown_first_wins, length_correlation, contradictions, cost_usd, judge } = summary
  const known = ci_low !== null && ci_high !== null
  return (
    <>
      {summary.warnings.length > 0 && (
        <div class="banner">
          {summary.warnings.map((warning) => (
            <p key={warning}>{warning}</p>
          ))}
        </div>
      )}
      <div class="figures">
        <Figure
          name={`won by ${visible(armLabel(a))}`}
          value={win_rate === null ? '–' : percent(win_rate)}
          range={known ? `${percent(ci_low)} to ${percent(ci_high)}` : null}
        >
          {plural(pairs, 'pair')}: {wins} won, {losses} lost to <bdi>{armLabel(b)}</bdi>, {plural(ties, 'tie')}
          {p_value === null ? '' : `; sign test p ${probability(p_value)}`}
        </Figure>
        <Figure name="changed with the order" value={flip_rate === null ? '–' : percent(flip_rate)} range={null}>
          {plural(flips, 'pair')}; each counts as a tie
        </Figure>
        <Figure
          name="won by what was shown first"
          value={shown_first_wins.decided === 0 ? '–' : percent(shown_first_wins.won / shown_first_wins.decided)}
          range={null}
        >
          {shown_first_wins.won} of {plural(shown_first_wins.decided, 'judgement')}; half is fair
        </Figure>
        <Figure
          name="length and score"
          value={length_correlation === null ? '–' : length_correlation.toFixed(2)}
          range={null}
        >
          correlation; near 1 the judge likes what is long. {plural(contradictions, 'winner')} with the lower score
        </Figure>
      </div>
      <p class="hint">
        Judge: <bdi>{judge ?? 'not known'}</bdi>, {cost_usd === null ? 'cost not known' : dollars(cost_usd)}
      </p>
    </>
  )
}
