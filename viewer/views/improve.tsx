/** The improve loop: what it found, its versions as a tree with their scores, why each was kept or not, and what was changed. */
import type { History } from '../../schemas/history.ts'
import type { Model } from '../data/model.ts'
import { Facts } from '../parts/facts.tsx'
import { Figure } from '../parts/figure.tsx'
import { UnknownForm } from '../parts/unknown_form.tsx'
import type { Route } from '../route.ts'
import { dollars, percent, plural, points } from '../words.ts'
import { SkillDiff } from './skill_diff.tsx'
import { Versions } from './versions.tsx'

export function hasHistory({ page }: Model): boolean {
  return page.extras.history !== undefined
}

export function Improve({ model, route }: { model: Model; route: Route }) {
  const { history, scores = {}, versions } = model.page.extras
  if (history === undefined) return null
  if (!('value' in history)) return <UnknownForm title="Versions" file="history.json" raw={history.raw} />
  const { value } = history
  return (
    <>
      <header class="lead">
        <h1>{headlineOf(value)}</h1>
      </header>
      <Said history={value} />
      <Test history={value} />
      <Versions model={model} history={value} scores={scores} />
      <Refused history={value} />
      {versions !== undefined && <SkillDiff model={model} route={route} names={versions.names} />}
      <Rules history={value} />
    </>
  )
}

function headlineOf({ test, iterations, current_best }: History): string {
  if (test != null) {
    const isShown = test.gain.ci_low !== null && test.gain.ci_low > 0
    const what = isShown ? 'is better than v0' : 'has won on validation, and the test does not show it'
    return `${test.best} ${what}: ${test.sentence} points`
  }
  const tried = iterations.length - 1
  return `${plural(Math.max(0, tried), 'version')} tried; the best is ${current_best}`
}

/** How it ended, and whether there was anything to gain. */
function Said({ history: { stopped, headroom, ended_at } }: { history: History }) {
  const { failures = [] } = stopped ?? {}
  return (
    <>
      {stopped === undefined && ended_at === undefined && <p class="banner running">It is under way.</p>}
      {stopped !== undefined && (
        <section class="banner running" aria-labelledby="stopped">
          <h2 id="stopped">It stopped: {stopped.reason.replaceAll('_', ' ')}</h2>
          <p>{stopped.message}</p>
          {failures.map(({ kind, cases, runs }) => (
            <p key={kind}>
              <strong>
                <bdi>{kind}</bdi>
              </strong>{' '}
              {plural(runs, 'run')} of {plural(cases.length, 'case')} {cases.join(', ')}
            </p>
          ))}
        </section>
      )}
      {headroom !== undefined && <p class={headroom.enough ? 'hint' : 'banner'}>{headroom.message}</p>}
    </>
  )
}

/** null ends: not known. */
function range(ci_low: number | null, ci_high: number | null, text: (value: number) => string): string | null {
  return ci_low === null || ci_high === null ? null : `${text(ci_low)} to ${text(ci_high)}`
}

/** What validation said beside what the test says: the first is what was chosen by. */
function Test({ history: { test } }: { history: History }) {
  if (test == null) return null
  const { v0, candidate, gain, validation_gain, best, scope } = test
  return (
    <section aria-labelledby="test">
      <h2 id="test">
        The test <small>cases that nothing was chosen by</small>
      </h2>
      <div class="figures">
        <Figure name="gain, test" value={points(gain.mean)} range={range(gain.ci_low, gain.ci_high, points)}>
          points, over {plural(gain.n_cases, 'case')} and {plural(gain.n_runs, 'run')}
          {scope === 'these_cases' ? '; it holds for these cases' : ''}
        </Figure>
        <Figure name="gain, validation said" value={points(validation_gain)} range={null}>
          points; what a version is chosen by looks better than it is
        </Figure>
        <Figure name="v0, test" value={percent(v0.mean)} range={range(v0.ci_low, v0.ci_high, percent)}>
          of its expectations met
        </Figure>
        <Figure
          name={`${best}, test`}
          value={percent(candidate.mean)}
          range={range(candidate.ci_low, candidate.ci_high, percent)}
        >
          of its expectations met
        </Figure>
      </div>
    </section>
  )
}

/** Proposals that no agent was ever run on. */
function Refused({ history: { refused = [] } }: { history: History }) {
  if (refused.length === 0) return null
  return (
    <section aria-labelledby="refused">
      <h2 id="refused">
        Refused before any run <small>{refused.length}</small>
      </h2>
      <ul class="versions">
        {refused.map(({ iteration, parent, rule, reason, proposal, cost_usd }) => (
          <li key={`${iteration}-${rule}-${reason}`} class="version">
            <p>
              <strong>
                Round {iteration}, from <bdi>{parent}</bdi>
              </strong>{' '}
              <em class="tag bad">{rule.replaceAll('_', ' ')}</em>{' '}
              <small>{cost_usd === null ? 'cost not known' : dollars(cost_usd)}</small>
            </p>
            <p class="text">{reason}</p>
            {proposal !== null && <p class="text hint">{proposal.summary}</p>}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** What was fixed before the first round. */
function Rules({ history: { split, benchmarks_usd, started_at, ended_at } }: { history: History }) {
  const facts: string[][] = [
    ['started', started_at],
    ...(ended_at === undefined ? [] : [['ended', ended_at]]),
    ...(benchmarks_usd === undefined
      ? []
      : [['cost of its benchmarks', benchmarks_usd === null ? 'not known' : dollars(benchmarks_usd)]]),
    ...(split === undefined
      ? []
      : [
          ['training cases', idsOf(split.train, split.runs.train)],
          ['validation cases', idsOf(split.validation, split.runs.validation)],
          ['test cases', split.test.length === 0 ? 'none: too few cases' : idsOf(split.test, split.runs.test)],
          ['a claim is about', split.scope],
          ['gain found with power .8', `${points(split.detectable)} points`],
        ]),
  ]
  return (
    <Facts
      id="rules"
      title="Fixed before the first round"
      facts={facts.map(([name = '', value = '']) => ({ name, value }))}
    />
  )
}

function idsOf(ids: readonly number[], runs: number): string {
  return `${ids.join(', ') || 'none'} (${plural(runs, 'run')} each)`
}
