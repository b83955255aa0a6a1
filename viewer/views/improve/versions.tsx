/** Shows the versions of a skill as a tree: each below its parent, with its scores, the gate's verdict and the reason. */
import type { History, Iteration } from '../../../schemas/history.ts'
import type { PageScore } from '../../../schemas/page.ts'
import type { Model } from '../../data/model.ts'
import { ownEntry } from '../../data/own_property.ts'
import { displayDollars, displayPercent, displayPlural, displayPoints, displayProbability } from '../../format.ts'
import { Share } from '../../parts/charts/rate_chart.tsx'
import { ReportLink } from '../../parts/run/report_link.tsx'
import { buildVersionTree, type VersionNode } from './version_tree.ts'

interface Props {
  model: Model
  history: History
  scores: Readonly<Record<string, PageScore[]>>
}

export function Versions({ model, history, scores }: Props) {
  const { iterations } = history
  return (
    <section aria-labelledby="versions">
      <h2 id="versions">
        Versions <small>{iterations.length}</small>
      </h2>
      <Branch model={model} of={buildVersionTree(iterations)} scores={scores} />
    </section>
  )
}

interface BranchProps extends Pick<Props, 'model' | 'scores'> {
  of: readonly VersionNode[]
}

function Branch({ model, of, scores }: BranchProps) {
  return (
    <ul class="versions">
      {of.map(({ one, below }, place) => (
        <li key={`${place}`}>
          <Version model={model} one={one} scores={ownEntry(scores, one.version) ?? []} />
          {below.length > 0 && <Branch model={model} of={below} scores={scores} />}
        </li>
      ))}
    </ul>
  )
}

const results = { baseline: 'baseline', won: 'accepted', lost: 'rejected', tie: 'rejected: a tie' } as const
const colours = { baseline: '', won: 'pass', lost: 'fail', tie: 'inconclusive' } as const

interface VersionProps extends Pick<Props, 'model'> {
  one: Iteration
  scores: readonly PageScore[]
}

function Version({ model, one, scores }: VersionProps) {
  const { version, grading_result: result, is_current_best, gate, proposal, cost_usd } = one
  return (
    <article class="version">
      <p>
        <strong class="name">
          <bdi>{version}</bdi>
        </strong>{' '}
        <span class={`chip ${colours[result]}`}>{results[result]}</span>{' '}
        {is_current_best && <span class="chip pass">best</span>}{' '}
        {proposal !== undefined && cost_usd !== undefined && (
          <small>cost of the proposal: {cost_usd === null ? 'not known' : displayDollars(cost_usd)}</small>
        )}
      </p>
      <Scores model={model} one={one} scores={scores} />
      {gate !== undefined && <Gate gate={gate} />}
      {proposal !== undefined && (
        <details>
          <summary>{proposal.summary}</summary>
          <p class="text">{proposal.why}</p>
          <ul class="changes">
            {proposal.files.map(({ path, change, lines_added, lines_removed }) => (
              <li key={path}>
                <code>
                  <bdi>{path}</bdi>
                </code>{' '}
                <small>
                  {change}, +{lines_added} −{lines_removed}
                </small>
              </li>
            ))}
          </ul>
        </details>
      )}
    </article>
  )
}

/** Training and validation scores; a part without its benchmark has the rate from the history, without interval. */
function Scores({ model, one, scores }: VersionProps) {
  const part = one.rate_of ?? null
  const said = { part, rate: one.expectation_pass_rate, ci_low: null, ci_high: null, n_cases: null }
  const all = scores.some((score) => score.part === part) ? scores : [...scores, said]
  return (
    <dl class="scores">
      {all.map(({ part: name, rate, ci_low, ci_high, n_cases }) => (
        <div key={name}>
          <dt>
            <ReportLink model={model} folder={name === null ? undefined : one.benchmarks?.[name]}>
              {name === 'train' ? 'training' : (name ?? 'pass rate')}
            </ReportLink>
            {n_cases !== null && <small> {displayPlural(n_cases, 'case')}</small>}
          </dt>
          <dd>
            <strong>{displayPercent(rate)}</strong>{' '}
            {ci_low !== null && ci_high !== null && (
              <small>
                {displayPercent(ci_low)} to {displayPercent(ci_high)}
              </small>
            )}
            <Share value={rate} low={ci_low} high={ci_high} />
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Gate({ gate }: { gate: NonNullable<Iteration['gate']> }) {
  const { reason, against, stage, difference, ci_low, ci_high, p_value, alpha, n_cases, blocks, guards } = gate
  const interval = ci_low === null || ci_high === null ? '' : ` [${displayPoints(ci_low)}, ${displayPoints(ci_high)}]`
  // the reason says the threshold of this analysis: the alpha of the version is divided among its analyses
  const p =
    p_value === null
      ? ''
      : `, p ${displayProbability(p_value)}; alpha for this version in total: ${alpha.toPrecision(2)}`
  return (
    <>
      <p>{reason}</p>
      <p class="hint">
        {displayPoints(difference)}
        {interval} points against <bdi>{against}</bdi> on {stage === 'train' ? 'training' : 'validation'}:{' '}
        {displayPlural(n_cases, 'case')} × {displayPlural(blocks, 'run')}
        {p}
      </p>
      {guards.map(({ name, passed, message }) => (
        <p class="hint" key={name}>
          {passed === null ? '?' : passed ? '✓' : '✗'} {message}
        </p>
      ))}
    </>
  )
}
