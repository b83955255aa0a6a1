/** The trigger view: when the agent uses the skill, how sure that is, what is wrong, and what has no answer. */
import type { TriggerConfusion, TriggerSaving, TriggerShare, Triggers } from '../../../schemas/triggers.ts'
import type { Model } from '../../data/model.ts'
import { displayCount, displayDollars, displayPercent, displayPlural, displaySeconds } from '../../format.ts'
import { Figure } from '../../parts/charts/rate_figure.tsx'
import { UnknownForm } from '../../parts/content/raw_artefact.tsx'
import { ListTable } from '../../parts/layout/data_table.tsx'
import { Facts } from '../../parts/run/facts.tsx'
import { type Route, routeLink } from '../../route.ts'
import { Descriptions } from '../improve/descriptions.tsx'
import { ManySkills } from './many_skills.tsx'
import { Queries } from './queries.tsx'

export function hasTriggers({ page }: Model): boolean {
  const { triggers, trigger_matrix, description } = page.extras
  return [triggers, trigger_matrix, description].some((one) => one !== undefined)
}

export function TriggersView({ model, route }: { model: Model; route: Route }) {
  const { triggers, trigger_matrix: matrix, description } = model.page.extras
  return (
    <>
      {triggers === undefined && matrix === undefined && (
        <header class="lead">
          <h1>Triggers</h1>
        </header>
      )}
      {triggers !== undefined &&
        ('value' in triggers ? (
          <MeasuredTriggers triggers={triggers.value} route={route} />
        ) : (
          <UnknownForm title="Triggers" file="triggers.json" raw={triggers.raw} />
        ))}
      {matrix !== undefined && <ManySkills matrix={matrix} leads={triggers === undefined} />}
      {description !== undefined && <Descriptions description={description} />}
    </>
  )
}

function MeasuredTriggers({ triggers, route }: { triggers: Triggers; route: Route }) {
  const { summary, metrics, confusions } = triggers
  const { passed, total } = summary
  return (
    <>
      <header class="lead">
        <h1>
          {passed} of {total} {total === 1 ? 'query behaves as it should' : 'queries behave as they should'}
        </h1>
      </header>
      <Gaps triggers={triggers} />
      <section aria-labelledby="rates">
        <h2 id="rates">
          How well it triggers <small>intervals count queries, not runs</small>
        </h2>
        <div class="figures">
          <Rate
            name="recall"
            share={metrics.recall}
            of={(queries) => `mean trigger rate of ${queries} that should trigger`}
          />
          <Rate
            name="precision"
            share={metrics.precision}
            of={(queries) => `share of triggered runs that should trigger; ${queries} triggered`}
          />
          <Rate
            name="wrongly triggered"
            share={metrics.false_trigger_rate}
            of={(queries) => `mean trigger rate of ${queries} that should not trigger`}
          />
          <Rate
            name="accuracy"
            share={metrics.accuracy}
            of={(queries) => `share of ${queries} that behave as they should`}
          />
        </div>
      </section>
      {confusions.length > 0 && <Confusions confusions={confusions} />}
      <Queries triggers={triggers} route={route} />
      <Costs triggers={triggers} />
      <Provenance triggers={triggers} />
    </>
  )
}

/** What the rates exclude, shown before them. */
function Gaps({ triggers: { summary, stop, warnings, set, complete } }: { triggers: Triggers }) {
  const { undecided, runs_failed, runs_missing, runs_planned } = summary
  const lost = [
    ...(runs_failed > 0 ? [`${displayCount(runs_failed)} failed`] : []),
    ...(runs_missing > 0 ? [`${displayCount(runs_missing)} ${runs_missing === 1 ? 'is' : 'are'} missing`] : []),
  ]
  const said = [...warnings, ...set.warnings.map(({ file, at, message }) => `${file} ${at}: ${message}`)]
  if (complete && stop === null && undecided === 0 && said.length === 0) return null
  return (
    <section class="banner" aria-labelledby="gaps">
      <h2 id="gaps">{complete ? 'Excluded from the rates' : 'Incomplete'}</h2>
      {stop !== null && <p>{stop.reason}</p>}
      {lost.length > 0 && (
        <p>
          Of {displayPlural(runs_planned, 'planned run')} {lost.join(' and ')}:{' '}
          {runs_failed + runs_missing === 1 ? 'it is' : 'they are'} excluded from the rates.{' '}
          <a href={routeLink(['triggers'], { show: 'open' })}>Their queries</a>
        </p>
      )}
      {undecided > 0 && <p>Queries without any answer: {displayCount(undecided)}.</p>}
      {said.map((text) => (
        <p key={text}>
          <bdi>{text}</bdi>
        </p>
      ))}
    </section>
  )
}

interface RateProps {
  name: string
  share: TriggerShare | null
  /** What it is a rate of, with "3 queries" in it. */
  of(queries: string): string
}

function Rate({ name, share, of }: RateProps) {
  const range = share === null ? null : `${displayPercent(share.ci_low)} to ${displayPercent(share.ci_high)}`
  return (
    <Figure name={name} value={share === null ? '–' : displayPercent(share.value)} range={range}>
      {share === null ? 'not known' : of(displayPlural(share.n, 'query', 'queries'))}
    </Figure>
  )
}

const kinds = { missed: 'should trigger, does not', wrongly_triggered: 'triggers, should not' } as const

function Confusions({ confusions }: { confusions: readonly TriggerConfusion[] }) {
  return (
    <section aria-labelledby="confusions">
      <h2 id="confusions">
        What the description gets wrong <small>{confusions.length}</small>
      </h2>
      <ListTable
        columns={['query', 'what', 'rate', 'read instead']}
        words={['query', 'what', 'read instead']}
        kind="stacks"
      >
        {confusions.map(({ query_id, query, kind, trigger_rate, instead }) => (
          <tr key={query_id}>
            <th scope="row">
              <a href={routeLink(['triggers'], { id: `${query_id}` })}>
                <bdi>{query}</bdi>
              </a>
            </th>
            <td class="left" data-column="what">
              {kinds[kind]}
            </td>
            <td data-column="rate">{displayPercent(trigger_rate)}</td>
            <td class="left" data-column="read instead">
              <bdi>{instead.map(({ skill, runs }) => `${skill} (${runs})`).join(', ') || '–'}</bdi>
            </td>
          </tr>
        ))}
      </ListTable>
    </section>
  )
}

function Costs({ triggers: { cost, saving, metrics } }: { triggers: Triggers }) {
  const { true_positive, false_negative, false_positive, true_negative } = metrics.matrix
  return (
    <section aria-labelledby="costs">
      <h2 id="costs">Runs and cost</h2>
      <div class="figures">
        <ListTable columns={['', 'triggered', 'not']} caption="Runs with an answer">
          <tr>
            <th scope="row">should trigger</th>
            <td>{true_positive}</td>
            <td class={false_negative > 0 ? 'worse' : ''}>{false_negative}</td>
          </tr>
          <tr>
            <th scope="row">should not</th>
            <td class={false_positive > 0 ? 'worse' : ''}>{false_positive}</td>
            <td>{true_negative}</td>
          </tr>
        </ListTable>
        <Figure name="cost" value={cost.usd === null ? 'not known' : displayDollars(cost.usd)} range={null}>
          {cost.tokens === null ? 'tokens not known' : `${displayCount(cost.tokens)} tokens`},{' '}
          {displaySeconds(cost.seconds)} of work
          {cost.unknown > 0 && `; of ${displayPlural(cost.unknown, 'run')} the cost is not known`}
        </Figure>
        {saving !== null && <Saving saving={saving} />}
      </div>
    </section>
  )
}

function Saving({ saving: { stopped, of, saved_share: share, basis } }: { saving: TriggerSaving }) {
  const against =
    share === null
      ? 'their cost without stopping is unknown'
      : share < 0
        ? `they took ${displayPercent(-share)} more than ${basis}`
        : `an estimate against ${basis}`
  const value = share === null ? 'unknown' : share < 0 ? 'nothing' : displayPercent(share)
  return (
    <Figure name="saved by stopping early" value={value} range={null}>
      {stopped} of {of} runs ended as soon as the skill was read; {against}
    </Figure>
  )
}

function Provenance({ triggers }: { triggers: Triggers }) {
  const { description, engine, model, options, set, among, created_at } = triggers
  const facts = [
    ['description', description],
    ['engine', `${engine.name}${model === null ? '' : ` · ${model}`}`],
    ['runs per query', `${options.runs}, threshold ${displayPercent(options.threshold)}`],
    ['queries from', `${set.path} (${set.format})`],
    ['other skills', among.map(({ name }) => name).join(', ') || 'none'],
    ['created', created_at],
  ]
  return <Facts id="facts" title="Provenance" facts={facts.map(([name = '', value = '']) => ({ name, value }))} />
}
