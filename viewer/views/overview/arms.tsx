/** Shows the configurations in columns, in the terminal's words, with ratios where the statistics have them. */
import type { Model } from '../../data/model.ts'
import { displayArm } from '../../format.ts'
import { isUnreadNote } from './headline.ts'

/** `withRates`: with the pass rates, where nothing else on the page shows them. */
export function ArmsTable({ model, withRates }: { model: Model; withRates: boolean }) {
  const { said, arms } = model.page
  const rows = said.rows.filter((row) => (withRates || row[0] !== 'pass rate') && !isInUnreadNotice(model, row))
  // a column in which no row has a value is left out
  const isShown = (column: string | undefined) => column !== 'difference' || rows.some((row) => row.at(-1) !== '')
  const ratios = rows.map(([label = '']) => findRatio(model, label))
  const offered = ratios.some((text) => text !== null)
  // without a common case, a difference between two benchmarks would be one between cases
  const apart = model.page.compared !== undefined && model.page.cases.every(({ delta }) => delta === null)
  return (
    <section aria-labelledby="arms">
      <h2 id="arms">{arms.length === 1 ? 'All runs' : 'Configurations'}</h2>
      <div class="card scroll">
        <table class="arms">
          <thead>
            <tr>
              {said.header.map((name, index) =>
                name === '' ? (
                  <td key={name} />
                ) : !isShown(name) ? null : (
                  <th key={name} scope="col">
                    {index > 0 && displayArm(arms[index - 1] ?? '') === name && <i class={`dot arm-${index - 1}`} />}
                    {name}
                  </th>
                ),
              )}
              {offered && <th scope="col">ratio</th>}
            </tr>
          </thead>
          <tbody>
            {rows.map(([label = '', ...cells], row) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                {cells.map((cell, index) => {
                  const column = said.header[index + 1]
                  return isShown(column) ? (
                    <td key={column} data-column={column}>
                      {apart && column === 'difference' ? '–' : cell}
                    </td>
                  ) : null
                })}
                {offered && <td data-column="ratio">{ratios[row]}</td>}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">
        {withRates ? said.hint : said.hint.replace(/; for the pass rate .*/, '.')}
        {model.page.extras.evaluation !== undefined &&
          ' Subject: the agent with what the eval tests. Pass rate: the share of expectations and checks that pass; a case passes if all of its own do.'}
      </p>
    </section>
  )
}

/** Whether the banner on runs that did not read the skill has the number of this row. */
function isInUnreadNotice({ page: { said } }: Model, [label, ...cells]: readonly string[]): boolean {
  return label === 'skill read' && cells.includes('–') && said.sureness.some(isUnreadNote)
}

const metrics = { 'time per run': 'time_seconds', 'tokens per run': 'tokens', 'cost per run': 'cost_usd' } as const

function findRatio({ page }: Model, label: string): string | null {
  const { statistics } = page.benchmark
  if (statistics === undefined) return null
  const metric = Object.entries(metrics).find(([name]) => name === label)?.[1]
  const ratio = metric === undefined ? null : statistics.ratios[metric]
  if (ratio === null || ratio === undefined) return null
  const { ci_low, ci_high } = ratio
  const level = Number((100 * (1 - statistics.alpha)).toFixed(1))
  const range =
    ci_low === null || ci_high === null ? '' : `, ${level}% CI [${ci_low.toFixed(2)}, ${ci_high.toFixed(2)}]`
  return `×${ratio.ratio.toFixed(2)}${range}`
}
