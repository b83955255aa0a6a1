/** Both arms side by side in the terminal's words, with the intervals that the statistics offer. */
import type { Model } from '../data/model.ts'
import { points } from '../words.ts'

export function Arms({ model }: { model: Model }) {
  const { said, arms } = model.page
  const intervals = said.rows.map(([label = '']) => intervalOf(model, label))
  const offered = intervals.some((text) => text !== null)
  return (
    <section aria-labelledby="arms">
      <h2 id="arms">The arms</h2>
      <div class="card scroll">
        <table class="arms">
          <thead>
            <tr>
              {said.header.map((name, index) => (
                <th key={name} scope="col">
                  {index > 0 && index <= arms.length && <i class={`dot arm-${index - 1}`} />}
                  {name}
                </th>
              ))}
              {offered && <th scope="col">interval</th>}
            </tr>
          </thead>
          <tbody>
            {said.rows.map(([label = '', ...cells], row) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {cells.map((cell, index) => (
                  <td key={said.header[index + 1]} data-column={said.header[index + 1]}>
                    {cell}
                  </td>
                ))}
                {offered && <td data-column="interval">{intervals[row]}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">Mean ± sample standard deviation over runs; the interval is of the difference.</p>
    </section>
  )
}

const metrics = { 'time a run': 'time_seconds', 'tokens a run': 'tokens', 'cost a run': 'cost_usd' } as const

function intervalOf({ page }: Model, label: string): string | null {
  const { statistics } = page.benchmark
  if (statistics === undefined) return null
  if (label === 'expectations met') {
    const { ci_low = null, ci_high = null } = statistics.scopes?.these_cases.difference ?? {}
    return ci_low === null || ci_high === null ? null : `${points(ci_low)} to ${points(ci_high)} points`
  }
  const metric = Object.entries(metrics).find(([name]) => name === label)?.[1]
  const ratio = metric === undefined ? null : statistics.ratios[metric]
  if (ratio === null || ratio === undefined) return null
  const { ci_low, ci_high } = ratio
  const range = ci_low === null || ci_high === null ? '' : ` (${ci_low.toFixed(2)} to ${ci_high.toFixed(2)})`
  return `×${ratio.ratio.toFixed(2)}${range}`
}
