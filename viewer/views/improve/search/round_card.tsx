/** A round: the version it began with, the one it made, its runs, and its proposals with their edits. */
import { useState } from 'preact/hooks'
import type { RoundProposal, SearchRound } from '../../../../schemas/history/round.ts'
import type { Model } from '../../../data/model.ts'
import { displayCount, displayDollars, displayPercent, displayPlural, displayRates } from '../../../format.ts'
import { MoreButton } from '../../../parts/layout/more_button.tsx'
import { ReportLink } from '../../../parts/run/report_link.tsx'
import type { Route } from '../../../route.ts'
import { EditRow } from './edit_row.tsx'
import { Refusal } from './refusal.tsx'

interface Props {
  model: Model
  route: Route
  round: SearchRound
  scale: number
}

export function RoundCard({ model, route, round, scale }: Props) {
  const { version, parent, proposals } = round
  const id = `round-${round.round}`
  return (
    <section class="card round" aria-labelledby={id}>
      <h3 id={id}>
        Round {round.round}: <bdi>{parent}</bdi> → {version === null ? 'no new version' : <bdi>{version}</bdi>}
      </h3>
      <RoundNumbers model={model} round={round} />
      {proposals.length === 0 && <p class="hint">No proposal.</p>}
      {proposals.map((proposal, place) => (
        <Proposal key={`${place}`} model={model} route={route} proposal={proposal} scale={scale} />
      ))}
    </section>
  )
}

function RoundNumbers({ model, round }: Pick<Props, 'model' | 'round'>) {
  const { estimate, shown, runs, benchmarks, parent, version } = round
  const rates = estimate === null ? null : displayRates(estimate.version, estimate.parent)
  return (
    <dl class="strip">
      <div>
        <dt>estimated rate, training</dt>
        <dd>
          {rates === null ? (
            'not known'
          ) : version === null ? (
            rates.baseline
          ) : (
            <>
              {rates.baseline} → {rates.candidate} <small>{rates.difference} points</small>
            </>
          )}
        </dd>
      </div>
      <div>
        <dt>
          <ReportLink model={model} folder={benchmarks.shown[0]}>
            shown to the proposers
          </ReportLink>
        </dt>
        <dd>
          {displayPlural(shown.runs, 'run')} of <bdi>{parent}</bdi>{' '}
          <small>{shown.pass_rate === null ? '' : `pass rate ${displayPercent(shown.pass_rate)}`}</small>
        </dd>
      </div>
      <div>
        <dt>
          {benchmarks.mixes === undefined ? (
            'graded runs of the round'
          ) : (
            <>
              graded runs of the round, with{' '}
              <ReportLink model={model} folder={benchmarks.mixes}>
                the mixes
              </ReportLink>
            </>
          )}
        </dt>
        <dd>{displayCount(runs)}</dd>
      </div>
    </dl>
  )
}

/** Edits of a proposal; more are shown on request. */
const most = 12

function Proposal({ model, route, proposal, scale }: Omit<Props, 'round'> & { proposal: RoundProposal }) {
  const [wanted, setShown] = useState(most)
  const { number, focus, engine, model: name, tokens, cost_usd, refused, edits } = proposal
  const shown = Math.max(wanted, edits.findIndex(({ id }) => id === route.query.edit) + 1)
  return (
    <article class="proposal">
      <h4>
        Proposal {number} <span class="text">{focus}</span>
      </h4>
      <p class="hint">
        <bdi>{name === null ? engine : `${engine}:${name}`}</bdi> ·{' '}
        {tokens === null ? 'tokens not known' : displayPlural(tokens, 'token')} ·{' '}
        {cost_usd === null ? 'cost not known' : displayDollars(cost_usd)}
      </p>
      {refused !== undefined && <Refusal {...refused} />}
      <ul class="edits">
        {edits.slice(0, shown).map((edit, place) => (
          <li key={`${place}`}>
            <EditRow model={model} route={route} edit={edit} proposal={proposal} scale={scale} />
          </li>
        ))}
      </ul>
      <MoreButton shown={shown} of={edits.length} step={most} noun="edits" show={setShown} />
    </article>
  )
}
