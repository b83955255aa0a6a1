/** The same comparison with other engines, one row for each: whether the gain holds there, too. */
import type { Confirmation } from '../../../../schemas/history/certification.ts'
import type { Model } from '../../../data/model.ts'
import { displayPointRange, displayRates } from '../../../format.ts'
import { Forest } from '../../../parts/charts/difference_chart.tsx'
import { ListTable } from '../../../parts/layout/data_table.tsx'
import { ReportLink } from '../../../parts/run/report_link.tsx'

interface Props {
  model: Model
  confirmations: readonly Confirmation[]
}

export function Confirmations({ model, confirmations }: Props) {
  return (
    <section aria-labelledby="confirmations">
      <h2 id="confirmations">
        With other engines <small>{confirmations.length}</small>
      </h2>
      <ListTable columns={['engine', 'result', '']} words={['engine', 'result']} kind="stacks">
        {confirmations.map((one, place) => (
          <Row key={`${place}`} model={model} one={one} />
        ))}
      </ListTable>
      <p class="hint">Chart: the gain in points, -100 to +100, with its 95% CI; dotted line: no difference</p>
    </section>
  )
}

/** The numbers are in the sentence. */
function Row({ model, one }: { model: Model; one: Confirmation }) {
  const { engine, benchmark, sentence, v0, candidate, gain } = one
  const { ci_low, ci_high } = gain
  const interval = ci_low === null || ci_high === null ? '' : `95% CI ${displayPointRange(ci_low, ci_high)}`
  const shown = { points: displayRates(candidate.mean, v0.mean).difference, interval }
  return (
    <tr>
      <th scope="row" class="wrap">
        <ReportLink model={model} folder={benchmark}>
          <bdi>{engine}</bdi>
        </ReportLink>
      </th>
      <td class="left wrap sentence">{sentence}</td>
      <td class="wide">{gain.n_cases > 0 && <Forest mean={gain.mean} low={ci_low} high={ci_high} shown={shown} />}</td>
    </tr>
  )
}
