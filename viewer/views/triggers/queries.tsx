/** Lists every query of a trigger set: its rate with interval, and in its fold what each run did. */
import type { TriggerResult, TriggerRun, Triggers } from '../../../schemas/triggers.ts'
import { displayDollars, displayPercent, displayPlural, displaySeconds, revealHidden } from '../../format.ts'
import { Share } from '../../parts/charts/rate_chart.tsx'
import { Choice } from '../../parts/layout/dropdown.tsx'
import { Fold } from '../../parts/layout/fold.tsx'
import { amendRoute, type Route } from '../../route.ts'

const filters = { all: 'all', wrong: 'wrong', open: 'with runs without an answer' } as const
type Filter = keyof typeof filters

const tests: Record<Filter, (one: TriggerResult) => boolean> = {
  all: () => true,
  wrong: ({ pass }) => pass === false,
  open: ({ errors, missing }) => errors + missing > 0,
}

export function Queries({ triggers, route }: { triggers: Triggers; route: Route }) {
  const asked = route.query.id
  const filter: Filter = route.query.show === 'wrong' || route.query.show === 'open' ? route.query.show : 'all'
  const words = (route.query.q ?? '').toLowerCase()
  const found = triggers.results.filter(
    (one) => `${one.query_id}` === asked || (tests[filter](one) && one.query.toLowerCase().includes(words)),
  )
  return (
    <section aria-labelledby="queries">
      <div class="section-head">
        <h2 id="queries">
          Queries{' '}
          <small>
            {found.length} of {triggers.results.length}
          </small>
        </h2>
        <Choice
          options={filters}
          value={filter}
          choose={(value) => amendRoute(route, { show: value === 'all' ? undefined : value, id: undefined })}
        >
          Show
        </Choice>
      </div>
      {found.length === 0 && <p class="empty">None.</p>}
      <ul class="queries card">
        {found.map((one) => (
          <Query
            key={one.query_id}
            one={one}
            threshold={triggers.options.threshold}
            asked={`${one.query_id}` === asked}
            ask={(asked) => amendRoute(route, { id: asked ? `${one.query_id}` : undefined })}
          />
        ))}
      </ul>
    </section>
  )
}

interface QueryProps {
  one: TriggerResult
  threshold: number
  asked: boolean
  ask(asked: boolean): void
}

function Query({ one, threshold, asked, ask }: QueryProps) {
  const { query, should_trigger, trigger_rate, ci_low, ci_high, triggers, runs, errors, missing, pass, note } = one
  const verdict = pass === null ? 'undecided' : pass ? 'right' : 'wrong'
  return (
    <li class="query-row">
      <Fold
        asked={asked}
        ask={ask}
        summary={
          <>
            <span class={`chip ${pass === null ? 'inconclusive' : pass ? 'pass' : 'fail'}`}>{verdict}</span>
            <span class="query">
              <bdi>{query}</bdi>
              <small>
                {should_trigger ? 'should trigger' : 'should not trigger'}
                {errors > 0 && <em class="tag bad">{displayPlural(errors, 'error')}</em>}
                {missing > 0 && <em class="tag warn">{missing} missing</em>}
              </small>
            </span>
            {trigger_rate === null ? (
              <span class="quiet">no answer</span>
            ) : (
              <span class="rate">
                <strong>
                  {triggers}/{runs}
                </strong>{' '}
                <small>
                  95% CI {displayPercent(ci_low)} to {displayPercent(ci_high)}
                </small>
                <Share
                  value={trigger_rate}
                  low={ci_low}
                  high={ci_high}
                  threshold={threshold}
                  is={pass === true ? 'better' : 'worse'}
                />
              </span>
            )}
          </>
        }
      >
        {() => (
          <>
            {note !== null && (
              <p class="hint">
                <bdi>{note}</bdi>
              </p>
            )}
            <ol class="query-runs">
              {one.query_runs.map((run) => (
                <li key={run.run_id}>
                  <RunLine run={run} />
                </li>
              ))}
            </ol>
          </>
        )}
      </Fold>
    </li>
  )
}

const outcomes = {
  triggered: 'triggered',
  not_triggered: 'not triggered',
  error: 'error',
  missing: 'missing',
} as const

function RunLine({ run }: { run: TriggerRun }) {
  const { outcome, via, at_step, before, others, stopped, at_limit, error, cost, duration_ms } = run
  const parts = [
    via === null ? null : `by ${via}${at_step === null ? '' : ` at response ${at_step}`}`,
    before.length > 0 ? `after ${before.join(', ')}` : null,
    others.length > 0 ? `other skills read: ${others.join(', ')}` : null,
    stopped ? 'stopped early' : null,
    at_limit ? 'stopped at the response limit' : null,
    duration_ms === null ? null : displaySeconds(duration_ms / 1000),
    cost === null || cost.usd === null ? null : displayDollars(cost.usd),
  ].filter((part) => part !== null)
  return (
    <>
      <strong class={outcome === 'error' ? 'worse' : ''}>{outcomes[outcome]}</strong>{' '}
      <small>
        <bdi>{revealHidden(parts.join(' · '))}</bdi>
      </small>
      {error !== null && (
        <p class="text">
          {error.kind}: {error.message}
        </p>
      )}
    </>
  )
}
