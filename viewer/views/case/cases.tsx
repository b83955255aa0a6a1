/** Lists every case: the difference with its interval, both rates, a bar for each run; worst first. */

import { useMemo } from 'preact/hooks'
import type { PageCase } from '../../../schemas/page.ts'
import { columnEntry, type Model } from '../../data/model.ts'
import { ownEntry } from '../../data/own_property.ts'
import { whyNoDifference } from '../../data/why_missing.ts'
import { displayArm, displayCount } from '../../format.ts'
import { Forest } from '../../parts/charts/difference_chart.tsx'
import { Heat } from '../../parts/charts/run_bars.tsx'
import { Choice } from '../../parts/layout/dropdown.tsx'
import { useNarrow, WindowedList } from '../../parts/layout/virtual_list.tsx'
import { useSelection } from '../../parts/page/selection.ts'
import { amendRoute, type Route, routeLink } from '../../route.ts'
import { countFilters } from '../run/runs.tsx'
import { CaseTags, listCaseTags } from './case_tags.tsx'
import { FirstFailure, findFirstFailure } from './first_failure.tsx'

const orders = {
  effect: (a: PageCase, b: PageCase) => (a.delta ?? 9) - (b.delta ?? 9),
  gain: (a: PageCase, b: PageCase) => (b.delta ?? -9) - (a.delta ?? -9),
  id: (a: PageCase, b: PageCase) => a.eval_id - b.eval_id,
  name: (a: PageCase, b: PageCase) => a.eval_name.localeCompare(b.eval_name),
  flaky: (a: PageCase, b: PageCase) => Number(b.flaky) - Number(a.flaky) || (a.delta ?? 9) - (b.delta ?? 9),
}
const orderNames: Record<keyof typeof orders, string> = {
  effect: 'worst first',
  gain: 'best first',
  flaky: 'varying first',
  id: 'by number',
  name: 'by name',
}

export function Cases({ model, route }: { model: Model; route: Route }) {
  const { cases } = model.page
  const narrow = useNarrow()
  const order = parseOrder(route.query.order)
  const wanted = (route.query.q ?? '').toLowerCase()
  const level = Number((100 * (1 - (model.page.benchmark.statistics?.alpha ?? 0.05))).toFixed(2))
  const shown = useMemo(
    () =>
      cases
        .map((_one, index) => index)
        .filter((index) => matches(columnEntry(cases, index), wanted))
        .sort((a, b) => orders[order](columnEntry(cases, a), columnEntry(cases, b))),
    [cases, order, wanted],
  )
  const failures = useMemo(() => cases.map((_one, index) => findFirstFailure(model, index)), [model, cases])
  const heights = useMemo(() => {
    const height = rowHeight(model, narrow)
    return shown.map((index) => height + (failures[index] == null ? 0 : failureHeight))
  }, [model, narrow, shown, failures])
  const selected = useSelection(shown.length, (place) =>
    routeLink(['case', columnEntry(cases, columnEntry(shown, place)).eval_id]),
  )
  return (
    <section aria-labelledby="cases">
      <div class="section-head">
        <h2 id="cases">
          Cases <small>{shown.length === cases.length ? cases.length : `${shown.length} of ${cases.length}`}</small>
        </h2>
        <Choice options={orderNames} value={order} choose={(value) => amendRoute(route, { order: value })}>
          <span class="quiet">order</span>
        </Choice>
      </div>
      <RunCounts model={model} />
      <div class="card list">
        <div class="row case-row head" aria-hidden="true">
          <span>case</span>
          <span class="center">difference in points, -100 to +100</span>
          <span class="num">rates</span>
          <span>runs</span>
        </div>
        <CasesLegend model={model} />
        <WindowedList
          heights={heights}
          label="Cases"
          selected={selected}
          row={(place) => {
            const index = columnEntry(shown, place)
            const failure = failures[index] ?? null
            return (
              <>
                <CaseRow model={model} index={index} selected={place === selected} />
                {failure !== null && <FirstFailure failure={failure} />}
              </>
            )
          }}
        />
        {shown.length === 0 && <p class="empty">No case matches.</p>}
      </div>
      {model.page.arms.length > 1 && (
        <p class="hint">
          Square: the difference of this case. Bar: its {level}% CI; with few runs it stays wide even if they all agree,
          because the next ones may not. Dotted line: no difference.
        </p>
      )}
    </section>
  )
}

/** A run with undecided statements may be in another of these numbers, too. */
const counted: Record<string, string> = {
  'status:passed': 'passed',
  'status:failed': 'failed',
  'is:undecided': 'with undecided statements',
  'is:flaky': 'in cases that vary between runs',
  'status:excluded': 'excluded',
}

/** How many runs passed, failed, are undecided or excluded, or belong to a case that varies; each number links to its runs. */
function RunCounts({ model }: { model: Model }) {
  const filters = useMemo(() => countFilters(model), [model])
  const shown = filters.filter(({ query, count }) => count > 0 && counted[query] !== undefined)
  if (shown.length === 0) return null
  return (
    <p class="chips">
      <span class="quiet">runs</span>
      {shown.map(({ query, count }) => (
        <a key={query} class="chip" href={routeLink(['runs'], { q: query })}>
          {displayCount(count)} {counted[query]}
        </a>
      ))}
    </p>
  )
}

/** What the dots, squares and bars mean. */
function CasesLegend({ model }: { model: Model }) {
  const { arms, runs } = model.page
  const isExcluded = runs.status.some((status) => status !== 'graded')
  const isUndecided = runs.undecided.some((number, index) => number > 0 && runs.status[index] === 'graded')
  return (
    <p class="legend" aria-hidden="true">
      {arms.map((arm, place) => (
        <span key={arm}>
          <i class={`dot arm-${place}`} /> {displayArm(arm)}
        </span>
      ))}
      <span>
        ▮ a run: its height is the pass rate{isExcluded ? ', ✕ excluded' : ''}
        {isUndecided ? ', line on top: undecided' : ''}
      </span>
    </p>
  )
}

/** In px, as in the style. */
const failureHeight = 28

/** In px: the rates of more than two configurations are below each other, on a narrow screen in lines of their own, and so are the bars. */
function rowHeight(model: Model, narrow: boolean): number {
  const arms = model.page.arms.length
  if (!narrow) return 60 + 30 * Math.max(0, arms - 2)
  if (arms <= 2) return 124
  const runs = model.page.cases.reduce((most, _one, index) => Math.max(most, model.ofCase(index).length), 0)
  const barsInLine = Math.max(1, Math.floor(290 / (24 + 9 * Math.min(24, Math.ceil(runs / arms)))))
  return 100 + 24 * (Math.ceil(arms / 4) + Math.ceil(arms / barsInLine))
}

function parseOrder(name: string | undefined): keyof typeof orders {
  return name !== undefined && Object.hasOwn(orders, name) ? (name as keyof typeof orders) : 'effect'
}

function matches({ eval_id, eval_name, eval_key, prompt, flaky, cannot_run }: PageCase, wanted: string): boolean {
  if (wanted === '') return true
  if (wanted === 'flaky') return flaky
  if (wanted === 'is:stuck') return cannot_run !== null
  return `${eval_id} ${eval_name} ${eval_key ?? ''} ${prompt ?? ''}`.toLowerCase().includes(wanted)
}

function CaseRow({ model, index, selected }: { model: Model; index: number; selected: boolean }) {
  const one = columnEntry(model.page.cases, index)
  const { arms } = model.page
  const runs = model.ofCase(index).map((run) => model.run(run))
  const tags = listCaseTags(model, index)
  const why = whyNoDifference(model, index)
  return (
    <a class={`row case-row ${selected ? 'selected' : ''}`} href={routeLink(['case', one.eval_id])}>
      <span class="name">
        <span class={`title ${tags.length > 0 ? 'tagged' : ''}`}>
          <b>{one.eval_id}</b> <bdi>{one.eval_name}</bdi>
        </span>
        {tags.length > 0 && (
          <span class="tags">
            <CaseTags tags={tags} />
          </span>
        )}
      </span>
      <span class="effect">
        {why !== null ? (
          <span class="why" title={why}>
            {why}
          </span>
        ) : (
          <>
            <Forest mean={one.delta} low={one.ci_low} high={one.ci_high} shown={one.shown} />
            <strong class={trendClass(one.delta)}>{one.shown.points}</strong>
          </>
        )}
      </span>
      <span class={`rates ${arms.length > 2 ? 'many' : ''}`}>
        {arms.map((arm, place) => (
          <span key={arm}>
            <i class={`dot arm-${place}`} />
            {ownEntry(one.rates, arm) ?? '–'}
          </span>
        ))}
      </span>
      <span class={`heats ${arms.length > 2 ? 'many' : ''}`}>
        {arms.map((arm, place) => (
          <Heat key={arm} arm={arm} place={place} runs={runs.filter((run) => run.armIndex === place)} />
        ))}
      </span>
    </a>
  )
}

function trendClass(delta: number | null): string {
  return delta === null || delta === 0 ? 'same' : delta > 0 ? 'better' : 'worse'
}
