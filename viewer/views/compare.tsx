/** Blind comparisons: the numbers over all, each pair's verdict, and why the winners won. */
import type { ComparisonSummary } from '../../schemas/comparison_summary.ts'
import type { Model } from '../data/model.ts'
import { Figure } from '../parts/figure.tsx'
import { Tree } from '../parts/json_tree.tsx'
import type { Route } from '../route.ts'
import { armLabel, dollars, percent, plural, visible } from '../words.ts'
import { PairOfOutputs } from './pair_of_outputs.tsx'
import { Why } from './why_won.tsx'

export function hasComparisons({ page: { benchmark, extras } }: Model): boolean {
  return benchmark.comparison !== undefined || extras.comparisons !== undefined || extras.analyses !== undefined
}

const few = 3

export function Compare({ model, route }: { model: Model; route: Route }) {
  const { benchmark, extras } = model.page
  const summary = benchmark.comparison as ComparisonSummary | undefined
  const { comparisons = [], analyses = [] } = extras
  return (
    <>
      <header class="lead">
        <h1>{summary?.sentence ?? 'Blind comparisons'}</h1>
      </header>
      {summary !== undefined && <Summary summary={summary} />}
      {comparisons.length > 0 && (
        <section aria-labelledby="pairs">
          <h2 id="pairs">
            The pairs <small>the key comes after the verdict</small>
          </h2>
          {comparisons.map(({ name, comparison }) => (
            <PairOfOutputs
              key={name}
              model={model}
              route={route}
              name={name}
              comparison={comparison}
              open={comparisons.length <= few || route.query.at === name}
            />
          ))}
        </section>
      )}
      {analyses.map(({ name, analysis }) => (
        <section key={name} aria-label={visible(name)}>
          <h2>
            Why <small>{visible(name)}</small>
          </h2>
          {'value' in analysis ? <Why analysis={analysis.value} /> : <Tree value={analysis.raw} />}
        </section>
      ))}
    </>
  )
}

function Summary({ summary }: { summary: ComparisonSummary }) {
  const { a, b, wins, losses, ties, win_rate, ci_low, ci_high, flips, flip_rate, pairs, p_value } = summary
  const { shown_first_wins, length_correlation, errors, contradictions, cost_usd, judge } = summary
  const known = ci_low !== null && ci_high !== null
  return (
    <>
      {summary.warnings.length + errors > 0 && (
        <div class="banner">
          {errors > 0 && <p>{plural(errors, 'pair')} could not be judged: in no number.</p>}
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
          {plural(pairs, 'pair')}: {wins} won, {losses} lost to <bdi>{armLabel(b)}</bdi>, {ties} ties
          {p_value === null ? '' : `; sign test p ${p_value.toFixed(3)}`}
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
