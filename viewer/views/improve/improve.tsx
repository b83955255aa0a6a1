/** The view of the improve loop: result, version tree with scores and reasons, and what changed. */
import type { History } from '../../../schemas/history.ts'
import type { Model } from '../../data/model.ts'
import { displayDollars, displayPercent, displayPlural, displayPoints } from '../../format.ts'
import { Figure } from '../../parts/charts/rate_figure.tsx'
import { UnknownForm } from '../../parts/content/raw_artefact.tsx'
import { Facts } from '../../parts/run/facts.tsx'
import type { Route } from '../../route.ts'
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
        <h1>{improveHeadline(value)}</h1>
      </header>
      <SessionEnd history={value} />
      <Test history={value} />
      <Versions model={model} history={value} scores={scores} />
      <RefusedProposals history={value} />
      {versions !== undefined && <SkillDiff model={model} route={route} names={versions.names} />}
      <Rules history={value} />
    </>
  )
}

function improveHeadline({ test, iterations, current_best }: History): string {
  if (test != null) {
    const isShown = test.gain.ci_low !== null && test.gain.ci_low > 0
    const what = isShown ? 'is better than v0' : 'was accepted on validation; the test does not confirm it'
    return `${test.best} ${what}: ${test.sentence} points`
  }
  const tried = iterations.length - 1
  return `${displayPlural(Math.max(0, tried), 'version')} tried; the best is ${current_best}`
}

/** How the session ended, and whether there was anything to gain. */
function SessionEnd({ history: { stopped, headroom, ended_at } }: { history: History }) {
  const { failures = [] } = stopped ?? {}
  return (
    <>
      {stopped === undefined && ended_at === undefined && <p class="banner running">In progress.</p>}
      {stopped !== undefined && (
        <section class="banner running" aria-labelledby="stopped">
          <h2 id="stopped">It stopped: {stopped.reason.replaceAll('_', ' ')}</h2>
          <p>{stopped.message}</p>
          {failures.map(({ kind, cases, runs }) => (
            <p key={kind}>
              <strong>
                <bdi>{kind}</bdi>
              </strong>{' '}
              {displayPlural(runs, 'run')} of {cases.length === 1 ? 'case' : 'cases'} {cases.join(', ')}
            </p>
          ))}
        </section>
      )}
      {headroom !== undefined && <p class={headroom.enough ? 'hint' : 'banner'}>{headroom.message}</p>}
    </>
  )
}

/** null: an end is not known. */
function range(ci_low: number | null, ci_high: number | null, text: (value: number) => string): string | null {
  return ci_low === null || ci_high === null ? null : `${text(ci_low)} to ${text(ci_high)}`
}

/** The gains on validation and on test cases: the first is biased, because it selected the version. */
function Test({ history: { test } }: { history: History }) {
  if (test == null) return null
  const { v0, candidate, gain, validation_gain, best, scope } = test
  return (
    <section aria-labelledby="test">
      <h2 id="test">
        The test <small>cases that no version was chosen on</small>
      </h2>
      <div class="figures">
        <Figure
          name="gain on test cases"
          value={displayPoints(gain.mean)}
          range={range(gain.ci_low, gain.ci_high, displayPoints)}
        >
          points, over {displayPlural(gain.n_cases, 'case')} and {displayPlural(gain.n_runs, 'run')}
          {scope === 'these_cases' ? '; it holds for these cases' : ''}
        </Figure>
        <Figure name="gain on validation cases" value={displayPoints(validation_gain)} range={null}>
          points; too high on average, because these cases chose the version
        </Figure>
        <PassRate name="v0 on test cases" rate={v0} nCases={gain.n_cases} />
        <PassRate name={`${best} on test cases`} rate={candidate} nCases={gain.n_cases} />
      </div>
    </section>
  )
}

/** With fewer cases, or if all agree, the interval is of Wilson's kind: it counts whole runs. */
const leastCases = 8

interface PassRateProps {
  name: string
  rate: NonNullable<History['test']>['v0']
  nCases: number
}

function PassRate({ name, rate: { mean, ci_low, ci_high }, nCases }: PassRateProps) {
  const countsRuns = nCases < leastCases || mean === 0 || mean === 1
  return (
    <Figure name={name} value={displayPercent(mean)} range={range(ci_low, ci_high, displayPercent)}>
      mean pass rate of {displayPlural(nCases, 'case')}
      {ci_low !== null && countsRuns ? '; the interval is wide because it counts each run as one observation' : ''}
    </Figure>
  )
}

/** Proposals that were refused before any run. */
function RefusedProposals({ history: { refused = [] } }: { history: History }) {
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
              <small>cost of the proposal: {cost_usd === null ? 'not known' : displayDollars(cost_usd)}</small>
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
      : [['cost of the benchmarks', benchmarks_usd === null ? 'not known' : displayDollars(benchmarks_usd)]]),
    ...(split === undefined
      ? []
      : [
          ['training cases', idsText(split.train, split.runs.train)],
          ['validation cases', idsText(split.validation, split.runs.validation)],
          ['test cases', split.test.length === 0 ? 'none: too few cases' : idsText(split.test, split.runs.test)],
          ['scope of the result', split.scope],
          ['minimum detectable gain, power 0.8', `${displayPoints(split.detectable)} points`],
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

function idsText(ids: readonly number[], runs: number): string {
  return `${ids.join(', ') || 'none'} (${displayPlural(runs, 'run')} each)`
}
