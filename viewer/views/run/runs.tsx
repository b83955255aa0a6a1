/** The view of all runs in one list: searched and sorted, with only visible rows in the document. */
import { useMemo } from 'preact/hooks'
import { columnEntry, isUnverified, type Model, type Run, toMark } from '../../data/model.ts'
import { findInvalidTerm, searchRuns } from '../../data/search_query.ts'
import { statusText } from '../../data/why_missing.ts'
import { displayArm, displayCount, displayDollars, displayPercent, displaySeconds } from '../../format.ts'
import { Choice } from '../../parts/layout/dropdown.tsx'
import { useNarrow, WindowedList } from '../../parts/layout/virtual_list.tsx'
import { useSelection } from '../../parts/page/selection.ts'
import { amendRoute, type Route, routeLink } from '../../route.ts'

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
  cost: 'dearest first',
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
        <span class="chips">
          {usefulFilters(model).map(({ label, query }) => (
            <button
              key={query}
              type="button"
              class="chip"
              aria-pressed={q === query}
              onClick={() => amendRoute(route, { q: q === query ? undefined : query })}
            >
              {label}
            </button>
          ))}
          <Choice options={orderNames} value={order} choose={(value) => amendRoute(route, { order: value })}>
            <span class="quiet">order</span>
          </Choice>
        </span>
      </div>
      {odd !== null && <p class="quiet not-understood">{odd} is not understood; ? lists what can be searched.</p>}
      <div class="card list">
        <WindowedList
          count={shown.length}
          height={narrow ? 84 : 44}
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
  { label: 'not all met', query: 'status:failed' },
  { label: 'in no rate', query: 'status:excluded' },
  { label: 'undecided', query: 'is:undecided' },
  { label: 'timed out', query: 'status:timed_out' },
  { label: 'regressions', query: 'is:regression' },
  { label: 'flaky', query: 'is:flaky' },
  { label: 'unverified', query: 'is:unverified' },
  { label: 'asked the user', query: 'is:asked' },
  { label: 'suspicious', query: 'is:suspicious' },
]

/** Without filters that match no run. */
function usefulFilters({ runs }: Model): typeof quick {
  const rare: Record<string, readonly number[]> = { 'is:suspicious': runs.suspicious, 'is:asked': runs.asked_user }
  return quick.filter(({ query }) => rare[query]?.includes(1) ?? true)
}

export function runAddress(run: Run): string {
  return routeLink(['run', run.case.eval_id, run.arm, run.number])
}

function RunRow({ model, run, selected }: { model: Model; run: Run; selected: boolean }) {
  return (
    <a class={`row run-row ${selected ? 'selected' : ''}`} href={runAddress(run)}>
      <span class="name">
        <b>{run.case.eval_id}</b> <bdi>{run.case.eval_name}</bdi>
      </span>
      <span class="arm">
        <i class={`dot arm-${run.armIndex}`} />
        {displayArm(run.arm)} {run.number}
      </span>
      {run.graded ? (
        <>
          <span>
            <strong class={run.rate < 1 ? 'worse' : run.undecided > 0 ? '' : 'better'}>
              {displayPercent(run.rate)}
            </strong>{' '}
            {run.total > 0 && (
              <small>
                {run.passed} of {run.total}
              </small>
            )}{' '}
            <RunTags run={run} />
          </span>
          <Marks marks={run.marks} />
          <span class="num optional">{run.seconds === null ? '' : displaySeconds(run.seconds)}</span>
          <span class="num optional">{run.tokens === null ? '' : displayCount(run.tokens)}</span>
          <span class="num optional">{run.cost === null ? '' : displayDollars(run.cost)}</span>
        </>
      ) : (
        <>
          <strong>{statusText(run.status, model.page.running)}</strong>
          <span class="message">{run.message}</span>
        </>
      )}
    </a>
  )
}

/** Tags that qualify the rate of a run. */
export function RunTags({ run }: { run: Run }) {
  return (
    <>
      {run.timedOut && <em class="tag bad">timed out</em>} {run.suspicious && <em class="tag bad">suspicious</em>}{' '}
      {run.askedUser && <em class="tag warn">asked the user</em>}{' '}
      {run.graded && run.undecided > 0 && <em class="tag warn">{undecidedText(run)}</em>}
    </>
  )
}

/** "1 of 2 undecided". */
function undecidedText({ undecided, total }: { undecided: number; total: number }): string {
  return `${undecided} of ${total + undecided} undecided`
}

const mostMarks = 14

function Marks({ marks }: { marks: string }) {
  const signs = [...marks].slice(0, mostMarks)
  const open = signs.filter((sign) => toMark(sign) === 'undecided').length
  const met = signs.filter((sign) => toMark(sign) === 'pass').length
  return (
    <span class="marks" role="img" aria-label={`${met} met${open > 0 ? `, ${open} undecided` : ''}`}>
      {signs.map((sign, index) => (
        <i key={`${index}`} class={`${toMark(sign)} ${isUnverified(sign) ? 'doubt' : ''}`} />
      ))}
      {marks.length > mostMarks && <small>+{marks.length - mostMarks}</small>}
    </span>
  )
}
