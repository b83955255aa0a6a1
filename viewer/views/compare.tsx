/** Blind comparisons: who won, in which order the sides were shown, what each scored; the key comes after the verdict. */
import type { Comparison } from '../../schemas/comparison.ts'
import type { ComparisonSummary } from '../../schemas/comparison_summary.ts'
import type { Model } from '../data/model.ts'
import { Tree } from '../parts/json_tree.tsx'
import { armLabel, percent, plural } from '../words.ts'

export function hasComparisons({ page }: Model): boolean {
  return page.benchmark.comparison !== undefined || page.extras.comparisons !== undefined
}

export function Compare({ model }: { model: Model }) {
  const { benchmark, extras } = model.page
  const summary = benchmark.comparison as ComparisonSummary | undefined
  return (
    <>
      <header class="lead">
        <h1>Blind comparisons</h1>
      </header>
      {summary !== undefined && <Summary summary={summary} />}
      {(extras.comparisons ?? []).map(({ name, value }) => (
        <One key={name} name={name} value={value} />
      ))}
    </>
  )
}

function Summary({ summary }: { summary: ComparisonSummary }) {
  const { a, b, wins, losses, ties, win_rate, ci_low, ci_high, flips, pairs } = summary
  return (
    <section class="card scope">
      <p class="figure">
        {win_rate === null ? '–' : percent(win_rate)} <small>won by {armLabel(a)}</small>
        {ci_low !== null && ci_high !== null && (
          <span class="range">
            {percent(ci_low)} to {percent(ci_high)}
          </span>
        )}
      </p>
      <p>{summary.sentence}</p>
      <p class="hint">
        {plural(pairs, 'pair')}: {wins} won by {armLabel(a)}, {losses} by {armLabel(b)}, {ties} ties; {flips} changed
        with the order.
      </p>
      {summary.warnings.map((warning) => (
        <p class="hint" key={warning}>
          {warning}
        </p>
      ))}
    </section>
  )
}

/** What is no comparison of a known shape is shown as it is. */
function One({ name, value }: { name: string; value: unknown }) {
  return (
    <section aria-label={name}>
      <h2>
        <bdi>{name}</bdi>
      </h2>
      {isComparison(value) ? <Verdict comparison={value} /> : <Tree value={value} />}
    </section>
  )
}

function isComparison(value: unknown): value is Comparison {
  return (
    typeof value === 'object' &&
    value !== null &&
    'winner' in value &&
    typeof value.winner === 'string' &&
    'reasoning' in value &&
    typeof value.reasoning === 'string'
  )
}

function Verdict({ comparison }: { comparison: Comparison }) {
  const { winner, reasoning, order, sides } = comparison
  return (
    <div class="card scope">
      <p>
        <span class="chip">{winner === 'TIE' ? 'Tie' : `${winner} is better`}</span>{' '}
        {Array.isArray(order) && <small>shown first: {order.join(', then ')}</small>}
      </p>
      <p class="text">{reasoning}</p>
      <details>
        <summary>The key, and all scores</summary>
        {sides !== undefined && (
          <p>
            A is <bdi>{armLabel(`${sides.A?.configuration}`)}</bdi>, B is{' '}
            <bdi>{armLabel(`${sides.B?.configuration}`)}</bdi>.
          </p>
        )}
        <Tree value={comparison} />
      </details>
    </div>
  )
}
