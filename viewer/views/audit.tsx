/** Audit: can the judge be trusted? A sample of its decisions for people to look at, and what follows from what they said. */
import { useMemo, useState } from 'preact/hooks'
import type { AuditSummary } from '../../schemas/audit.ts'
import type { PageAudit } from '../../schemas/page.ts'
import { useMarks } from '../data/marks.ts'
import { at, type Model, markOf } from '../data/model.ts'
import { useKeys } from '../parts/keys.ts'
import { MarksState } from '../parts/mark.tsx'
import { useSelection } from '../parts/selection.ts'
import { positionNow } from '../position.ts'
import { amend, link, type Route } from '../route.ts'
import { plural } from '../words.ts'
import { AuditFigures } from './audit_figures.tsx'
import { DecisionCard } from './decision.tsx'

export function hasAudit({ page }: Model): boolean {
  return page.extras.audit !== undefined || page.benchmark.audit !== undefined
}

const step = 10
const filters = { all: 'all', open: 'to be looked at', said: 'looked at' } as const
type Filter = keyof typeof filters

export function Audit({ model, route }: { model: Model; route: Route }) {
  const summary = model.page.benchmark.audit as AuditSummary | undefined
  const { audit } = model.page.extras
  return (
    <>
      <header class="lead">
        <h1>{summary?.sentence ?? 'Can the judge be trusted? Nobody has looked yet.'}</h1>
      </header>
      {summary?.banner != null && <p class="banner">{summary.banner}</p>}
      {summary !== undefined && <AuditFigures summary={summary} />}
      {audit !== undefined && audit.sample.length > 0 && <Sample model={model} audit={audit} route={route} />}
    </>
  )
}

type Drawn = PageAudit['sample'][number]

function Sample({ model, audit, route }: { model: Model; audit: PageAudit; route: Route }) {
  const { metOf, mark } = useMarks(model)
  const filter: Filter = route.query.show === 'open' || route.query.show === 'said' ? route.query.show : 'all'
  // what is said does not take a card away from under its reader
  const drawn = useMemo(() => chosen(audit.sample, filter, metOf), [filter, audit.sample.length])
  const asked = drawn.findIndex(({ id }) => id === route.query.id)
  const [shown, setShown] = useState(Math.max(step, asked + 1))
  const visibleOnes = drawn.slice(0, shown)
  const selected = useSelection(visibleOnes.length, (place) => addressOf(model, visibleOnes[place]))
  const said = audit.sample.filter(({ id }) => metOf(id) !== null).length
  useKeys((event) => {
    const one = visibleOnes[positionNow().selected]
    const answer = answers.get(event.key)
    if (one === undefined || answer === undefined) return
    const run = model.run(one.run)
    const passed = markOf(run.marks[one.statement]) === 'pass'
    const { text } = at(run.case.statements, one.statement)
    mark({ id: one.id, run, text, passed }, answer === 'back' ? null : (answer === 'right') === passed)
  })
  return (
    <section aria-labelledby="sample">
      <div class="section-head">
        <h2 id="sample">
          The sample{' '}
          <small>
            {said} of {plural(audit.sample.length, 'decision')} looked at; {audit.decisions} in all
          </small>
        </h2>
        <label class="choose">
          Show
          <select
            value={filter}
            onChange={(event) => {
              setShown(step)
              amend(route, {
                show: event.currentTarget.value === 'all' ? undefined : event.currentTarget.value,
                id: '',
              })
            }}
          >
            {Object.entries(filters).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="hint">
        A tenth of each verdict in each arm, as <code>whetstone audit</code> draws it; any other verdict can be marked
        on its run. Keys: j k move, y right, n wrong, x takes back.
      </p>
      <MarksState model={model} />
      {drawn.length === 0 && <p class="empty">None.</p>}
      {visibleOnes.map((one, place) => (
        <DecisionCard
          key={one.id}
          model={model}
          drawn={one}
          selected={place === selected}
          asked={one.id === route.query.id}
        />
      ))}
      {drawn.length > shown && (
        <p>
          <button type="button" onClick={() => setShown(shown + step)}>
            {drawn.length - shown} more
          </button>
        </p>
      )}
    </section>
  )
}

const answers: ReadonlyMap<string, 'right' | 'wrong' | 'back'> = new Map([
  ['y', 'right'],
  ['n', 'wrong'],
  ['x', 'back'],
])

function chosen(sample: readonly Drawn[], filter: Filter, metOf: (id: string) => boolean | null): readonly Drawn[] {
  if (filter === 'all') return sample
  return sample.filter(({ id }) => (metOf(id) === null) === (filter === 'open'))
}

function addressOf(model: Model, drawn: Drawn | undefined): string {
  if (drawn === undefined) return '#/audit'
  const run = model.run(drawn.run)
  return link(['run', run.case.eval_id, run.arm, run.number])
}
