/** Every case: the difference with its interval, both rates, a bar for each run; the worst first. */

import { useMemo } from 'preact/hooks'
import type { PageCase } from '../../schemas/page.ts'
import { at, type Model } from '../data/model.ts'
import { own } from '../data/own.ts'
import { whyNoDifference } from '../data/why.ts'
import { Choice } from '../parts/choice.tsx'
import { Forest } from '../parts/forest.tsx'
import { Heat } from '../parts/heat.tsx'
import { useSelection } from '../parts/selection.ts'
import { useNarrow, Windowed } from '../parts/windowed.tsx'
import { amend, link, type Route } from '../route.ts'
import { percent, points } from '../words.ts'
import { CaseTags, tagsOf } from './case_tags.tsx'

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
  flaky: 'flaky first',
  id: 'by number',
  name: 'by name',
}

export function Cases({ model, route }: { model: Model; route: Route }) {
  const { cases } = model.page
  const narrow = useNarrow()
  const order = orderOf(route.query.order)
  const wanted = (route.query.q ?? '').toLowerCase()
  const shown = useMemo(
    () =>
      cases
        .map((_one, index) => index)
        .filter((index) => matches(at(cases, index), wanted))
        .sort((a, b) => orders[order](at(cases, a), at(cases, b))),
    [cases, order, wanted],
  )
  const selected = useSelection(shown.length, (place) => link(['case', at(cases, at(shown, place)).eval_id]))
  return (
    <section aria-labelledby="cases">
      <div class="section-head">
        <h2 id="cases">
          Cases <small>{shown.length === cases.length ? cases.length : `${shown.length} of ${cases.length}`}</small>
        </h2>
        <Choice options={orderNames} value={order} choose={(value) => amend(route, { order: value })}>
          <span class="quiet">order</span>
        </Choice>
      </div>
      <div class="card list">
        <div class="row case-row head" aria-hidden="true">
          <span>case</span>
          <span class="center">difference in points, −100 to +100</span>
          <span class="num">rates</span>
          <span>runs</span>
        </div>
        <Windowed
          count={shown.length}
          height={heightOf(model.page.arms.length, narrow)}
          label="Cases"
          selected={selected}
          row={(place) => <CaseRow model={model} index={at(shown, place)} selected={place === selected} />}
        />
        {shown.length === 0 && <p class="empty">No case matches.</p>}
      </div>
    </section>
  )
}

/** In px: the rates of more than two arms stand below each other, on a narrow screen in lines of their own. */
function heightOf(arms: number, narrow: boolean): number {
  if (!narrow) return 60 + 30 * Math.max(0, arms - 2)
  return arms > 2 ? 120 + 48 * Math.ceil(arms / 3) : 124
}

function orderOf(name: string | undefined): keyof typeof orders {
  return name !== undefined && Object.hasOwn(orders, name) ? (name as keyof typeof orders) : 'effect'
}

function matches({ eval_id, eval_name, eval_key, prompt, flaky, cannot_run }: PageCase, wanted: string): boolean {
  if (wanted === '') return true
  if (wanted === 'flaky') return flaky
  if (wanted === 'is:stuck') return cannot_run !== null
  return `${eval_id} ${eval_name} ${eval_key ?? ''} ${prompt ?? ''}`.toLowerCase().includes(wanted)
}

function CaseRow({ model, index, selected }: { model: Model; index: number; selected: boolean }) {
  const one = at(model.page.cases, index)
  const { arms } = model.page
  const runs = model.ofCase(index).map((run) => model.run(run))
  const tags = tagsOf(model, index)
  const why = whyNoDifference(model, index)
  return (
    <a class={`row case-row ${selected ? 'selected' : ''}`} href={link(['case', one.eval_id])}>
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
            <Forest mean={one.delta} low={one.ci_low} high={one.ci_high} />
            <strong class={trendOf(one.delta)}>{one.delta === null ? '' : points(one.delta)}</strong>
          </>
        )}
      </span>
      <span class={`rates ${arms.length > 2 ? 'many' : ''}`}>
        {arms.map((arm, place) => (
          <span key={arm}>
            <i class={`dot arm-${place}`} />
            {rateOf(one, arm)}
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

function trendOf(delta: number | null): string {
  return delta === null || delta === 0 ? 'same' : delta > 0 ? 'better' : 'worse'
}

function rateOf(one: PageCase, arm: string): string {
  const mean = own(one.arms, arm)?.pass_rate?.mean
  return mean === undefined ? '–' : percent(mean)
}
