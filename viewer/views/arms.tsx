/** Both arms side by side in the terminal's words, with the intervals that the statistics offer. */
import type { Model } from '../data/model.ts'
import { armLabel, points } from '../words.ts'

export function Arms({ model }: { model: Model }) {
  const { said, arms } = model.page
  const intervals = said.rows.map(([label = '', ...cells]) => intervalOf(model, label, cells.at(-1) ?? ''))
  const offered = intervals.some((text) => text !== null)
  // of two benchmarks without a case in common a difference would be one of cases
  const apart = model.page.compared !== undefined && model.page.cases.every(({ delta }) => delta === null)
  return (
    <section aria-labelledby="arms">
      <h2 id="arms">{arms.length === 1 ? 'All runs' : 'The arms'}</h2>
      <div class="card scroll">
        <table class="arms">
          <thead>
            <tr>
              {said.header.map((name, index) =>
                name === '' ? (
                  <td key={name} />
                ) : (
                  <th key={name} scope="col">
                    {index > 0 && armLabel(arms[index - 1] ?? '') === name && <i class={`dot arm-${index - 1}`} />}
                    {name}
                  </th>
                ),
              )}
              {offered && <th scope="col">interval</th>}
            </tr>
          </thead>
          <tbody>
            {said.rows.map(([label = '', ...cells], row) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {cells.map((cell, index) => (
                  <td key={said.header[index + 1]} data-column={said.header[index + 1]}>
                    {apart && said.header[index + 1] === 'difference' ? '–' : cell}
                  </td>
                ))}
                {offered && <td data-column="interval">{intervals[row]}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        Mean ± sample standard deviation over runs.
        {arms.length > 1 && ' The interval is of the difference over cases with both arms, each of the same weight.'}
      </p>
    </section>
  )
}

function numberIn(text: string): number {
  return Number.parseInt(text.replace('−', '-'), 10)
}

const metrics = { 'time a run': 'time_seconds', 'tokens a run': 'tokens', 'cost a run': 'cost_usd' } as const

/** `shown`: the difference that stands in the table. */
function intervalOf({ page }: Model, label: string, shown: string): string | null {
  const { statistics } = page.benchmark
  if (statistics === undefined) return null
  if (label === 'expectations met') {
    const { mean = null, ci_low = null, ci_high = null } = statistics.scopes?.these_cases.difference ?? {}
    if (mean === null || ci_low === null || ci_high === null) return null
    const range = `${points(ci_low)} to ${points(ci_high)}`
    // the table counts runs, the interval cases that both arms have: its own number stands with it where they differ
    return numberIn(shown) === numberIn(points(mean))
      ? `${range} points`
      : `over cases with both arms: ${points(mean)} [${range.replace(' to ', ', ')}]`
  }
  const metric = Object.entries(metrics).find(([name]) => name === label)?.[1]
  const ratio = metric === undefined ? null : statistics.ratios[metric]
  if (ratio === null || ratio === undefined) return null
  const { ci_low, ci_high } = ratio
  const range = ci_low === null || ci_high === null ? '' : ` (${ci_low.toFixed(2)} to ${ci_high.toFixed(2)})`
  return `×${ratio.ratio.toFixed(2)}${range}`
}
