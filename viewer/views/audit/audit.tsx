/** The audit view: a sample of the judge's decisions for people to check, and the judge's reliability that results. */
import { useMemo, useState } from 'preact/hooks'
import type { AuditSummary } from '../../../schemas/audit.ts'
import type { PageAudit, PageDrawn } from '../../../schemas/page.ts'
import { loadAuditSample } from '../../data/load_on_demand.ts'
import { columnEntry, type Model, toMark } from '../../data/model.ts'
import { useMarks } from '../../data/review/marks.ts'
import { displayCount, displayPercent, displayPlural } from '../../format.ts'
import { Choice } from '../../parts/layout/dropdown.tsx'
import { useAsync } from '../../parts/page/delayed.ts'
import { useKeys } from '../../parts/page/keys.ts'
import { useSelection } from '../../parts/page/selection.ts'
import { MarksState } from '../../parts/run/agree_buttons.tsx'
import { amendRoute, type Route, routeLink } from '../../route.ts'
import { currentPosition } from '../../scroll_position.ts'
import { AuditFigures } from './audit_figures.tsx'
import { DecisionCard } from './judge_decision.tsx'

export function hasAudit({ page }: Model): boolean {
  return page.extras.audit !== undefined || page.benchmark.audit !== undefined
}

const step = 10
const filters = { all: 'all', open: 'not reviewed', said: 'reviewed' } as const
type Filter = keyof typeof filters

export function AuditView({ model, route }: { model: Model; route: Route }) {
  const summary = model.page.benchmark.audit as AuditSummary | undefined
  const { audit } = model.page.extras
  const { statistics } = model.page.benchmark
  return (
    <>
      <header class="lead">
        <h1>{summary === undefined ? 'Is the judge reliable? No reviews yet.' : describeAgreement(summary)}</h1>
      </header>
      {summary?.banner != null && <p class="banner">{summary.banner}</p>}
      {summary !== undefined && (
        <AuditFigures
          summary={summary}
          difference={statistics?.judge_difference ?? null}
          alpha={statistics?.alpha ?? 0.05}
        />
      )}
      {audit !== undefined && audit.drawn > 0 && <DrawnSample model={model} audit={audit} route={route} />}
    </>
  )
}

/** "People agree with the judge on 94% of 50 decisions, 95% CI [84, 98]". */
function describeAgreement({ agreement, sentence }: AuditSummary): string {
  if (agreement === null) return sentence
  const { rate, ci_low, ci_high, n } = agreement
  const range = [ci_low, ci_high].map((bound) => Math.round(100 * bound)).join(', ')
  return `People agree with the judge on ${displayPercent(rate)} of ${displayPlural(n, 'decision')}, 95% CI [${range}]`
}

interface DrawnProps {
  model: Model
  audit: PageAudit
  route: Route
}

/** Loads the sample on demand. */
function DrawnSample(props: DrawnProps) {
  const { model, audit } = props
  const found = useAsync(() => loadAuditSample(model), [model])
  if (audit.at === 0) {
    return (
      <p class="empty">
        The page does not carry the sample; <code>whetstone audit</code> shows it.
      </p>
    )
  }
  if (found === undefined) return <p class="empty">Reading…</p>
  if ('problem' in found) return <p class="banner">The sample cannot be read: {found.problem}</p>
  return <Sample {...props} sample={found.value} />
}

function Sample({ model, audit, route, sample }: DrawnProps & { sample: readonly PageDrawn[] }) {
  const { metOf, mark } = useMarks(model)
  const filter: Filter = route.query.show === 'open' || route.query.show === 'said' ? route.query.show : 'all'
  // labelling a decision does not remove its card while a person reads it
  const drawn = useMemo(() => filterDecisions(sample, filter, metOf), [filter, sample.length])
  const asked = drawn.findIndex(({ id }) => id === route.query.id)
  const [shown, setShown] = useState(Math.max(step, asked + 1))
  const visibleOnes = drawn.slice(0, shown)
  const selected = useSelection(visibleOnes.length, (place) => decisionAddress(model, visibleOnes[place]))
  const said = sample.filter(({ id }) => metOf(id) !== null).length
  useKeys((event) => {
    const one = visibleOnes[currentPosition().selected]
    const answer = answers.get(event.key)
    if (one === undefined || answer === undefined) return
    const run = model.run(one.run)
    const passed = toMark(run.marks[one.statement]) === 'pass'
    const { text } = columnEntry(run.case.statements, one.statement)
    mark({ id: one.id, run, text, passed }, answer === 'back' ? null : (answer === 'right') === passed)
  })
  return (
    <section aria-labelledby="sample">
      <div class="section-head">
        <h2 id="sample">
          The sample{' '}
          <small>
            {said} of {displayPlural(sample.length, 'decision')} reviewed, from {totalText(audit)}
          </small>
        </h2>
        <Choice
          options={filters}
          value={filter}
          choose={(value) => {
            setShown(step)
            amendRoute(route, { show: value === 'all' ? undefined : value, id: '' })
          }}
        >
          Show
        </Choice>
      </div>
      <p class="hint">
        A tenth of each verdict in each configuration, as <code>whetstone audit</code> draws it.
        {audit.decisions < audit.judged && ' Decisions on the same statement with the same evidence count once.'} You
        can review any other verdict on its run. Keys: j k move, y agree, n disagree, x undo.
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

/** "18 distinct ones (48 in total)". */
function totalText({ decisions, judged }: PageAudit): string {
  const total = `${displayCount(judged)} in total`
  return decisions === judged ? total : `${displayCount(decisions)} distinct ones (${total})`
}

const answers: ReadonlyMap<string, 'right' | 'wrong' | 'back'> = new Map([
  ['y', 'right'],
  ['n', 'wrong'],
  ['x', 'back'],
])

function filterDecisions(
  sample: readonly PageDrawn[],
  filter: Filter,
  metOf: (id: string) => boolean | null,
): readonly PageDrawn[] {
  if (filter === 'all') return sample
  return sample.filter(({ id }) => (metOf(id) === null) === (filter === 'open'))
}

function decisionAddress(model: Model, drawn: PageDrawn | undefined): string {
  if (drawn === undefined) return '#/audit'
  const run = model.run(drawn.run)
  return routeLink(['run', run.case.eval_id, run.arm, run.number])
}
