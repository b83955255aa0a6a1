/** The view of blind comparisons: the overall numbers, each pair's verdict, and why the winners won. */
import type { ComparisonSummary } from '../../../schemas/comparison_summary.ts'
import type { Model } from '../../data/model.ts'
import {
  displayArm,
  displayDollars,
  displayPercent,
  displayPlural,
  displayProbability,
  revealHidden,
} from '../../format.ts'
import { Figure } from '../../parts/charts/rate_figure.tsx'
import { JsonValueTree } from '../../parts/content/json_tree.tsx'
import type { Route } from '../../route.ts'
import { findNamedCase, Pairs, UnjudgedPairs } from './pairs.tsx'
import { WhyWon } from './why_won.tsx'

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
      {errors.length > 0 && <UnjudgedPairs model={model} errors={errors} />}
      {analyses.map(({ name, analysis }) => (
        <section key={name} aria-label={`Why: ${findNamedCase(model, name).title}`}>
          <h2>
            Why the winner won{' '}
            <small>
              <bdi>{findNamedCase(model, name).title}</bdi>
            </small>
          </h2>
          {'value' in analysis ? <WhyWon analysis={analysis.value} /> : <JsonValueTree value={analysis.raw} />}
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
          name={`won by ${revealHidden(displayArm(a))}`}
          value={win_rate === null ? '–' : displayPercent(win_rate)}
          range={known ? `${displayPercent(ci_low)} to ${displayPercent(ci_high)}` : null}
        >
          {displayPlural(pairs, 'pair')}: {wins} won, {losses} lost to <bdi>{displayArm(b)}</bdi>,{' '}
          {displayPlural(ties, 'tie')}
          {p_value === null ? '' : `; sign test p ${displayProbability(p_value)}`}
        </Figure>
        <Figure name="changed with the order" value={flip_rate === null ? '–' : displayPercent(flip_rate)} range={null}>
          {displayPlural(flips, 'pair')}; each counts as a tie
        </Figure>
        <Figure
          name="won by the answer shown first"
          value={shown_first_wins.decided === 0 ? '–' : displayPercent(shown_first_wins.won / shown_first_wins.decided)}
          range={null}
        >
          {shown_first_wins.won} of {displayPlural(shown_first_wins.decided, 'judgement')}; 50% is fair
        </Figure>
        <Figure
          name="length and score"
          value={length_correlation === null ? '–' : length_correlation.toFixed(2)}
          range={null}
        >
          correlation; near 1 the judge prefers long answers. {displayPlural(contradictions, 'winner')} with the lower
          score
        </Figure>
      </div>
      <p class="hint">
        Judge: <bdi>{judge ?? 'not known'}</bdi>, {cost_usd === null ? 'cost not known' : displayDollars(cost_usd)}
      </p>
    </>
  )
}
