/** Versions of a skill as a tree: each below the one it was made of, with its scores, the gate's verdict and the reason. */
import type { History, Iteration } from '../../schemas/history.ts'
import type { PageScore } from '../../schemas/page.ts'
import type { Model } from '../data/model.ts'
import { own } from '../data/own.ts'
import { ReportLink } from '../parts/report_link.tsx'
import { Share } from '../parts/share.tsx'
import { dollars, percent, plural, points } from '../words.ts'
import { type Node, treeOf } from './version_tree.ts'

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
      <Branch model={model} of={treeOf(iterations)} scores={scores} />
    </section>
  )
}

interface BranchProps extends Pick<Props, 'model' | 'scores'> {
  of: readonly Node[]
}

function Branch({ model, of, scores }: BranchProps) {
  return (
    <ul class="versions">
      {of.map(({ one, below }, place) => (
        <li key={`${place}`}>
          <Version model={model} one={one} scores={own(scores, one.version) ?? []} />
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
        {cost_usd !== undefined && <small>{cost_usd === null ? 'cost not known' : dollars(cost_usd)}</small>}
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

/** Training and validation apart; a part whose benchmark is not there has the rate of the history, without interval. */
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
              {name === 'train' ? 'training' : (name ?? 'met')}
            </ReportLink>
            {n_cases !== null && <small> {plural(n_cases, 'case')}</small>}
          </dt>
          <dd>
            <strong>{percent(rate)}</strong>{' '}
            {ci_low !== null && ci_high !== null && (
              <small>
                {percent(ci_low)} to {percent(ci_high)}
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
  const interval = ci_low === null || ci_high === null ? '' : ` [${points(ci_low)}, ${points(ci_high)}]`
  // what a look needs is in the reason: the share is spread over the looks
  const p = p_value === null ? '' : `, p ${chance(p_value)}; its share of the error in all: ${chance(alpha)}`
  return (
    <>
      <p>{reason}</p>
      <p class="hint">
        {points(difference)}
        {interval} points against <bdi>{against}</bdi> on {stage === 'train' ? 'training' : 'validation'}:{' '}
        {plural(n_cases, 'case')} × {blocks}
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

function chance(p: number): string {
  return p < 0.001 ? '< 0.001' : p.toPrecision(2)
}
