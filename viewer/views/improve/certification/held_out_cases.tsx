/** Each held-out case with v0 and with the best version, worst change first. */
import { useState } from 'preact/hooks'
import type { HeldOutComparison } from '../../../../schemas/history/certification.ts'
import type { Model } from '../../../data/model.ts'
import { displayPlural, displayRates } from '../../../format.ts'
import { RateChangeChart } from '../../../parts/charts/rate_change_chart.tsx'
import { ListTable } from '../../../parts/layout/data_table.tsx'
import { MoreButton } from '../../../parts/layout/more_button.tsx'
import { CaseName } from '../case_name.tsx'

const most = 60

interface Props {
  model: Model
  compared: HeldOutComparison
}

export function HeldOutCases({ model, compared: { cases, best, gain } }: Props) {
  const [shown, setShown] = useState(most)
  if (cases.length === 0) return null
  const sorted = cases.toSorted((a, b) => a.candidate - a.v0 - (b.candidate - b.v0) || a.candidate - b.candidate)
  return (
    <section aria-labelledby="held-out">
      <h2 id="held-out">
        Held-out cases <small>{cases.length}; worst change first</small>
      </h2>
      <ListTable columns={['case', 'v0', 'best', 'points', '']} words={['case']} kind="case-rates">
        {sorted.slice(0, shown).map(({ eval_id, v0, candidate }) => {
          const rates = displayRates(candidate, v0)
          return (
            <tr key={eval_id}>
              <th scope="row">
                <CaseName model={model} evalId={eval_id} />
              </th>
              <td>{rates.baseline}</td>
              <td>{rates.candidate}</td>
              <td>{rates.difference}</td>
              <td class="wide">
                <RateChangeChart before={v0} after={candidate} label={`${rates.baseline} to ${rates.candidate}`} />
              </td>
            </tr>
          )
        })}
      </ListTable>
      <MoreButton shown={shown} of={cases.length} step={most} show={setShown} />
      <p class="hint">
        Chart: pass rate, 0 to 100%; circle: v0; square: best, <bdi>{best}</bdi>. Both rates are over the same cases:{' '}
        {displayPlural(gain.n_runs, 'run')} of both versions in total.
      </p>
    </section>
  )
}
