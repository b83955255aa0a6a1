/** For a page of two benchmarks: what A and B are, how their plans differ, and which statements changed. */
import type { PageCompared } from '../../../schemas/page.ts'
import type { Model } from '../../data/model.ts'
import { displayPlural } from '../../format.ts'
import { HeadAB } from '../../parts/layout/ab_header.tsx'
import { routeLink } from '../../route.ts'

/** Comes first, because it may explain everything else. */
export function PlanDifferences({ model }: { model: Model }) {
  const { compared } = model.page
  if (compared === undefined) return null
  const { a, b, plan } = compared
  return (
    <section aria-labelledby="differs">
      <h2 id="differs">{plan.length > 0 ? 'Differences in setup' : 'Setup'}</h2>
      <div class="card scroll">
        <table class="pairs">
          <HeadAB />
          <tbody>
            <Row what="folder" a={a.name} b={b.name} />
            <Row what="date" a={a.timestamp} b={b.timestamp} />
            {plan.map(({ what, before, after }) => (
              <Row key={what} what={what} a={before} b={after} marked />
            ))}
          </tbody>
        </table>
      </div>
      {plan.length === 0 && <p class="hint">Their plans do not differ.</p>}
    </section>
  )
}

interface RowProps {
  what: string
  a: string | null
  b: string | null
  marked?: boolean
}

function Row({ what, a, b, marked = false }: RowProps) {
  return (
    <tr>
      <th scope="row">{what}</th>
      {[a, b].map((value, place) => (
        <td key={place === 0 ? 'A' : 'B'} class={marked ? 'differs' : ''} data-column={place === 0 ? 'A' : 'B'}>
          {value === null ? <span class="quiet">not recorded</span> : <bdi>{value}</bdi>}
        </td>
      ))}
    </tr>
  )
}

const most = 50

/** How the cases changed, and the expectations whose change is significant. */
export function TurnedStatements({ model }: { model: Model }) {
  const { compared } = model.page
  if (compared === undefined) return null
  const { turned, changes } = compared
  return (
    <section aria-labelledby="turned">
      <h2 id="turned">
        Significant changes{' '}
        <small>{displayPlural(turned.length, 'expectation or check', 'expectations and checks')}</small>
      </h2>
      <p class="hint">{changesText(changes)}</p>
      {turned.length > 0 && (
        <div class="card scroll">
          <table class="pairs">
            <HeadAB first="expectation or check" />
            <tbody>
              {turned.slice(0, most).map((one) => (
                <tr key={`${one.eval_id} ${one.text}`}>
                  <th scope="row">
                    <a href={routeLink(['case', one.eval_id])}>
                      {one.eval_id} <bdi>{one.case}</bdi>
                    </a>
                    <br />
                    <bdi>{one.text}</bdi>
                  </th>
                  <td data-column="A">{tally(one.before)}</td>
                  <td data-column="B" class={isBetter(one) ? 'better' : 'worse'}>
                    {tally(one.after)}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {turned.length > most && <p class="hint">{turned.length - most} more; see their cases.</p>}
    </section>
  )
}

type One = PageCompared['turned'][number]

function tally({ passed, total }: One['before']): string {
  return `${passed} of ${total} passed`
}

function isBetter({ before, after }: One): boolean {
  return after.passed * before.total > before.passed * after.total
}

const words = {
  regressed: 'regressed',
  improved: 'improved',
  within_chance: 'changed, not significantly',
  same: 'the same',
  appeared: 'only in B',
  vanished: 'only in A',
} as const

/** "Cases: 1 regressed, 2 improved." */
function changesText(changes: PageCompared['changes']): string {
  const counts = Object.entries(words).flatMap(([change, said]) => {
    const number = changes.filter((one) => one === change).length
    return number === 0 ? [] : [`${number} ${said}`]
  })
  return counts.length === 0 ? 'No case has runs in both.' : `Cases: ${counts.join(', ')}.`
}
