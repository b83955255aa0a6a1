/** Which skill the queries of each skill read first, as a grid: rows are the skills of the queries, columns the skills that were read. */
import type { TriggerMatrix } from '../../../schemas/trigger_matrix.ts'
import { displayPercent } from '../../format.ts'
import { scrollable } from '../../parts/layout/focusable_scroll.ts'
import { findReadRate, meanUnreadRate } from './read_rates.ts'

export function ReadGrid({ matrix }: { matrix: TriggerMatrix }) {
  const { skills, queries } = matrix
  const rows = skills.filter((one) => one.queries > 0)
  return (
    <section aria-labelledby="reads">
      <h2 id="reads">
        Which skill is read <small>row: the skill of the queries, column: the skill that is read first</small>
      </h2>
      <div class="card read-grid" {...scrollable}>
        <table>
          <thead>
            <tr>
              <th scope="col" class="corner">
                queries of
              </th>
              {skills.map(({ name }) => (
                <th key={name} scope="col">
                  <bdi>{name}</bdi>
                </th>
              ))}
              <th scope="col">no skill</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.name}>
                <th scope="row">
                  <bdi>{row.name}</bdi>
                </th>
                {skills.map(({ name }) => (
                  <Cell key={name} rate={findReadRate(matrix, row, name)} is={name === row.name ? 'own' : 'other'} />
                ))}
                <Cell rate={meanUnreadRate(queries, row.name)} is="none" />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p class="hint">mean share of runs over the queries of a skill; empty: never read · –: no run has an answer</p>
    </section>
  )
}

function Cell({ rate, is }: { rate: number | null; is: 'own' | 'other' | 'none' }) {
  if (rate === null) return <td>–</td>
  if (rate === 0) return <td class={is} />
  return (
    <td class={is} style={{ '--share': `${Math.round(rate * 100)}%` }}>
      {displayPercent(rate)}
    </td>
  )
}
