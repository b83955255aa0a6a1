/** The view of all runs in one list: searched and sorted, with only visible rows in the document. */
import { useMemo } from 'preact/hooks'
import { columnEntry, type Model } from '../../data/model.ts'
import { findInvalidTerm, searchRuns } from '../../data/search_query.ts'
import { displayCount } from '../../format.ts'
import { Choice } from '../../parts/layout/dropdown.tsx'
import { useNarrow, WindowedList } from '../../parts/layout/virtual_list.tsx'
import { useSelection } from '../../parts/page/selection.ts'
import { amendRoute, type Route } from '../../route.ts'
import { RunListHead, RunRow, runAddress } from './run_row.tsx'

type Key = (model: Model) => readonly (number | null)[]
const orders = {
  worst: ({ runs }) => runs.rate.map((rate, index) => (columnEntry(runs.status, index) === 'graded' ? rate : -1)),
  case: ({ runs, page }) => runs.case.map((one) => columnEntry(page.cases, one).eval_id),
  time: ({ runs }) => runs.seconds.map(negate),
  tokens: ({ runs }) => runs.tokens.map(negate),
  cost: ({ runs }) => runs.cost.map(negate),
} satisfies Record<string, Key>
const orderNames: Record<keyof typeof orders, string> = {
  case: 'by case',
  worst: 'worst first',
  time: 'slowest first',
  tokens: 'most tokens first',
  cost: 'most expensive first',
}

function negate(value: number | null): number | null {
  return value === null ? null : -value
}

export function Runs({ model, route }: { model: Model; route: Route }) {
  const { q = '', order: asked = '' } = route.query
  const narrow = useNarrow()
  const order = Object.hasOwn(orders, asked) ? (asked as keyof typeof orders) : 'case'
  const shown = useMemo(() => {
    const keys = orders[order](model)
    const rank = (index: number) => keys[index] ?? Number.POSITIVE_INFINITY
    return searchRuns(model, q).sort((a, b) => rank(a) - rank(b) || a - b)
  }, [model, q, order])
  const heights = useMemo(() => shown.map(() => (narrow ? 84 : 44)), [shown, narrow])
  const filters = useMemo(() => countFilters(model), [model])
  const odd = findInvalidTerm(q)
  const selected = useSelection(shown.length, (place) => runAddress(model.run(columnEntry(shown, place))))
  return (
    <section aria-labelledby="runs">
      <div class="section-head">
        <h1 id="runs">
          Runs{' '}
          <small>
            {shown.length === model.size
              ? displayCount(model.size)
              : `${displayCount(shown.length)} of ${displayCount(model.size)}`}
          </small>
        </h1>
        <Choice options={orderNames} value={order} choose={(value) => amendRoute(route, { order: value })}>
          <span class="quiet">order</span>
        </Choice>
      </div>
      <fieldset class="chips filters" aria-label="Filters">
        {filters
          .filter(({ query, count }) => count > 0 || q === query)
          .map(({ label, query, count }) => (
            <button
              key={label}
              type="button"
              class="chip"
              aria-pressed={q === query}
              onClick={() => amendRoute(route, { q: q === query ? undefined : query })}
            >
              {label} <span class="count">{displayCount(count)}</span>
            </button>
          ))}
      </fieldset>
      {odd !== null && <p class="quiet not-understood">{odd} is not understood; ? lists what can be searched.</p>}
      <div class="card list">
        <RunListHead />
        <WindowedList
          heights={heights}
          label="Runs"
          selected={selected}
          row={(place) => (
            <RunRow model={model} run={model.run(columnEntry(shown, place))} selected={place === selected} />
          )}
        />
        {shown.length === 0 && <p class="empty">No run matches.</p>}
      </div>
    </section>
  )
}

const quick = [
  { label: 'all', query: '' },
  { label: 'passed', query: 'status:passed' },
  { label: 'failed', query: 'status:failed' },
  { label: 'excluded', query: 'status:excluded' },
  { label: 'undecided', query: 'is:undecided' },
  { label: 'timed out', query: 'status:timed_out' },
  { label: 'skill not read', query: 'is:unread' },
  { label: 'asked the user', query: 'is:asked' },
  { label: 'regressions', query: 'is:regression' },
  { label: 'case varies between runs', query: 'is:flaky' },
  { label: 'unverified', query: 'is:unverified' },
  { label: 'suspicious', query: 'is:suspicious' },
]

/** Each filter with the number of runs that it shows. */
export function countFilters(model: Model): ((typeof quick)[number] & { count: number })[] {
  return quick.map((one) => ({ ...one, count: searchRuns(model, one.query).length }))
}
