/** All runs in one list: searched, sorted, only what is on the screen in the document. */
import { useMemo } from 'preact/hooks'
import { at, isUnverified, type Model, markOf, type Run } from '../data/model.ts'
import { notUnderstood, runsMatching } from '../data/query.ts'
import { statusText } from '../data/why.ts'
import { Choice } from '../parts/choice.tsx'
import { useSelection } from '../parts/selection.ts'
import { useNarrow, Windowed } from '../parts/windowed.tsx'
import { amend, link, type Route } from '../route.ts'
import { armLabel, count, dollars, percent, seconds } from '../words.ts'

type Key = (model: Model) => readonly (number | null)[]
const orders = {
  worst: ({ runs }) => runs.rate.map((rate, index) => (at(runs.status, index) === 'graded' ? rate : -1)),
  case: ({ runs, page }) => runs.case.map((one) => at(page.cases, one).eval_id),
  time: ({ runs }) => runs.seconds.map(falling),
  tokens: ({ runs }) => runs.tokens.map(falling),
  cost: ({ runs }) => runs.cost.map(falling),
} satisfies Record<string, Key>
const orderNames: Record<keyof typeof orders, string> = {
  case: 'by case',
  worst: 'worst first',
  time: 'slowest first',
  tokens: 'most tokens first',
  cost: 'dearest first',
}

function falling(value: number | null): number | null {
  return value === null ? null : -value
}

export function Runs({ model, route }: { model: Model; route: Route }) {
  const { q = '', order: asked = '' } = route.query
  const narrow = useNarrow()
  const order = Object.hasOwn(orders, asked) ? (asked as keyof typeof orders) : 'case'
  const shown = useMemo(() => {
    const keys = orders[order](model)
    const rank = (index: number) => keys[index] ?? Number.POSITIVE_INFINITY
    return runsMatching(model, q).sort((a, b) => rank(a) - rank(b) || a - b)
  }, [model, q, order])
  const odd = notUnderstood(q)
  const selected = useSelection(shown.length, (place) => addressOf(model.run(at(shown, place))))
  return (
    <section aria-labelledby="runs">
      <div class="section-head">
        <h1 id="runs">
          Runs{' '}
          <small>
            {shown.length === model.size ? count(model.size) : `${count(shown.length)} of ${count(model.size)}`}
          </small>
        </h1>
        <span class="chips">
          {quick.map(({ label, query }) => (
            <button
              key={query}
              type="button"
              class="chip"
              aria-pressed={q === query}
              onClick={() => amend(route, { q: q === query ? undefined : query })}
            >
              {label}
            </button>
          ))}
          <Choice options={orderNames} value={order} choose={(value) => amend(route, { order: value })}>
            <span class="quiet">order</span>
          </Choice>
        </span>
      </div>
      {odd !== null && <p class="quiet not-understood">{odd} is not understood; ? lists what can be searched.</p>}
      <div class="card list">
        <Windowed
          count={shown.length}
          height={narrow ? 84 : 44}
          label="Runs"
          selected={selected}
          row={(place) => <RunRow model={model} run={model.run(at(shown, place))} selected={place === selected} />}
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
]

export function addressOf(run: Run): string {
  return link(['run', run.case.eval_id, run.arm, run.number])
}

function RunRow({ model, run, selected }: { model: Model; run: Run; selected: boolean }) {
  return (
    <a class={`row run-row ${selected ? 'selected' : ''}`} href={addressOf(run)}>
      <span class="name">
        <b>{run.case.eval_id}</b> <bdi>{run.case.eval_name}</bdi>
      </span>
      <span class="arm">
        <i class={`dot arm-${run.armIndex}`} />
        {armLabel(run.arm)} {run.number}
      </span>
      {run.graded ? (
        <>
          <span>
            <strong class={run.rate < 1 ? 'worse' : run.undecided > 0 ? '' : 'better'}>{percent(run.rate)}</strong>{' '}
            {run.total > 0 && (
              <small>
                {run.passed} of {run.total}
              </small>
            )}{' '}
            <RunTags run={run} />
          </span>
          <Marks marks={run.marks} />
          <span class="num optional">{run.seconds === null ? '' : seconds(run.seconds)}</span>
          <span class="num optional">{run.tokens === null ? '' : count(run.tokens)}</span>
          <span class="num optional">{run.cost === null ? '' : dollars(run.cost)}</span>
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

/** What keeps the rate of a run from being the whole story. */
export function RunTags({ run }: { run: Run }) {
  return (
    <>
      {run.timedOut && <em class="tag bad">timed out</em>}{' '}
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
  const open = signs.filter((sign) => markOf(sign) === 'undecided').length
  const met = signs.filter((sign) => markOf(sign) === 'pass').length
  return (
    <span class="marks" role="img" aria-label={`${met} met${open > 0 ? `, ${open} undecided` : ''}`}>
      {signs.map((sign, index) => (
        <i key={`${index}`} class={`${markOf(sign)} ${isUnverified(sign) ? 'doubt' : ''}`} />
      ))}
      {marks.length > mostMarks && <small>+{marks.length - mostMarks}</small>}
    </span>
  )
}
