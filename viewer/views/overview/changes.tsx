/** Lists what changed between the configurations: statements and tests that several cases have, largest difference first. */
import type { ChangedStatement } from '../../../schemas/changed_statements.ts'
import type { Model } from '../../data/model.ts'
import { displayArm, displayCount } from '../../format.ts'
import { EffectBar } from '../../parts/charts/effect_bar.tsx'
import { ListTable } from '../../parts/layout/data_table.tsx'
import { routeLink } from '../../route.ts'

export function Changes({ model }: { model: Model }) {
  const { said, arms } = model.page
  if (said.changed === undefined) return null
  const { title, rows } = said.changed
  return (
    <section aria-labelledby="changes">
      <h2 id="changes">
        {title} <small>{displayCount(rows.length)}</small>
      </h2>
      <ListTable
        kind="changes"
        columns={['in several cases', 'points', '', ...arms.slice(0, 2).map(displayArm), 'cases']}
        words={['in several cases']}
      >
        {rows.map((change) => (
          <ChangeRow key={`${change.kind} ${change.text}`} change={change} />
        ))}
      </ListTable>
      <p class="hint">
        Expectations, checks, and tests of scripts that at least two cases have in both configurations; each case counts
        once. Not tested for significance.
      </p>
    </section>
  )
}

const mostLinks = 6

function ChangeRow({ change: { kind, text, cases, effect, shown } }: { change: ChangedStatement }) {
  return (
    <tr>
      <th scope="row" class="wrap">
        <bdi>{text}</bdi> {kind === 'test' && <em class="tag">test</em>}
      </th>
      <td>
        <strong>{shown.difference}</strong>
      </td>
      <td class="wide">
        <EffectBar effect={effect} scale={1} />
      </td>
      <td>{shown.candidate}</td>
      <td>{shown.baseline}</td>
      <td>
        {cases.slice(0, mostLinks).map((id, index) => (
          <span key={id}>
            {index > 0 && ', '}
            <a href={routeLink(['case', id])}>{id}</a>
          </span>
        ))}
        {cases.length > mostLinks && `, +${displayCount(cases.length - mostLinks)}`}
      </td>
    </tr>
  )
}
