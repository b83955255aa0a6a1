/** Lists the pairs of a blind comparison: each verdict, which changed with the order, and which have none. */
import { useMemo, useState } from 'preact/hooks'
import type { Comparison } from '../../../schemas/comparison.ts'
import type { Known, PageExtras } from '../../../schemas/page.ts'
import type { Model } from '../../data/model.ts'
import { ownEntry } from '../../data/own_property.ts'
import { displayCount, revealHidden } from '../../format.ts'
import { Choice } from '../../parts/layout/dropdown.tsx'
import { MoreButton } from '../../parts/layout/more_button.tsx'
import { amendRoute, type Route } from '../../route.ts'
import { type OutputPair, PairOfOutputs } from './pair_of_outputs.tsx'

const filters = {
  all: 'all',
  A: 'A is better',
  B: 'B is better',
  tie: 'ties',
  order: 'changed with the order',
  score: 'winner with the lower score',
} as const
type Filter = keyof typeof filters

const tests: Record<Filter, (one: OutputPair) => boolean> = {
  all: () => true,
  A: ({ winner }) => winner === 'A',
  B: ({ winner }) => winner === 'B',
  tie: ({ winner }) => winner === 'TIE',
  order: ({ comparison }) => 'value' in comparison && (comparison.value.flips ?? 0) > 0,
  score: ({ comparison }) => 'value' in comparison && comparison.value.contradicts_scores === true,
}

/** Up to this many pairs are open from the start. */
const few = 3
/** More are shown on request. */
const most = 100

export function Pairs({ model, route }: { model: Model; route: Route }) {
  const { comparisons = [] } = model.page.extras
  const [shown, setShown] = useState(most)
  const pairs = useMemo(() => comparisons.map(({ name, comparison }) => toOutputPair(model, name, comparison)), [model])
  if (comparisons.length === 0) return null
  const filter = isFilter(route.query.show) ? route.query.show : 'all'
  const words = (route.query.q ?? '').toLowerCase()
  const found = pairs.filter(
    (one) => route.query.at === one.name || (tests[filter](one) && one.title.toLowerCase().includes(words)),
  )
  const asked = found.findIndex(({ name }) => name === route.query.at)
  const drawn = found.slice(0, Math.max(shown, asked + 1))
  return (
    <section aria-labelledby="pairs">
      <div class="section-head">
        <h2 id="pairs">
          The pairs{' '}
          <small>
            {displayCount(found.length)} of {displayCount(comparisons.length)}; which configuration is A or B is at the
            end of each
          </small>
        </h2>
        <Choice
          options={filters}
          value={filter}
          choose={(value) => amendRoute(route, { show: value === 'all' ? undefined : value, at: undefined })}
        >
          Show
        </Choice>
      </div>
      {found.length === 0 && <p class="empty">None.</p>}
      {drawn.map((pair) => (
        <PairOfOutputs key={pair.name} route={route} pair={pair} open={comparisons.length <= few} />
      ))}
      <MoreButton shown={drawn.length} of={found.length} step={most} show={setShown} />
    </section>
  )
}

function isFilter(name: string | undefined): name is Filter {
  return name !== undefined && ownEntry(filters, name) !== undefined
}

function toOutputPair(model: Model, name: string, comparison: Known<Comparison>): OutputPair {
  return {
    name,
    comparison,
    ...findNamedCase(model, name),
    winner: 'value' in comparison ? comparison.value.winner : null,
  }
}

/** The case and run of a benchmark's file, such as eval-1-totals/comparison-2.json. */
export function findNamedCase({ page }: Model, name: string): Pick<OutputPair, 'case' | 'number' | 'title'> {
  const [, id = '-1', number = ''] =
    /^eval-(\d+)[^/]*\/(?:analysis|comparison(?:_error)?-(\d+))\.json$/.exec(name) ?? []
  const one = page.cases.find(({ eval_id }) => eval_id === Number(id))
  return {
    case: one,
    number,
    title: one === undefined ? revealHidden(name) : `Case ${id} · ${revealHidden(one.eval_name)}`,
  }
}

/** Pairs that no judge decided. */
export function UnjudgedPairs({
  model,
  errors,
}: {
  model: Model
  errors: NonNullable<PageExtras['comparison_errors']>
}) {
  return (
    <section aria-labelledby="unjudged">
      <h2 id="unjudged">
        Without a verdict <small>{displayCount(errors.length)}; not counted</small>
      </h2>
      <ul class="notes">
        {errors.slice(0, most).map(({ name, reason }) => {
          const { title, number } = findNamedCase(model, name)
          return (
            <li key={name}>
              <strong>
                <bdi>{title}</bdi>
              </strong>{' '}
              <small>run {number}</small> <span class="text">{reason}</span>
            </li>
          )
        })}
      </ul>
      {errors.length > most && <p class="hint">… and {displayCount(errors.length - most)} more in their files</p>}
    </section>
  )
}
