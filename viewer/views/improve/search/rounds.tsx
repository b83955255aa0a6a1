/** The search: a picture of which edits went into which version, then each round with its proposals. */
import { useState } from 'preact/hooks'
import type { SearchRound } from '../../../../schemas/history/round.ts'
import type { History } from '../../../../schemas/history.ts'
import type { Model } from '../../../data/model.ts'
import { MoreButton } from '../../../parts/layout/more_button.tsx'
import type { Route } from '../../../route.ts'
import { RoundCard } from './round_card.tsx'
import { VersionPicture } from './version_picture.tsx'

/** More are shown on request. */
const most = 8
/** The bars never magnify smaller effects than this. */
const leastScale = 0.1

interface Props {
  model: Model
  route: Route
  history: History
  rounds: readonly SearchRound[]
}

export function Rounds({ model, route, history, rounds }: Props) {
  const [wanted, setShown] = useState(most)
  const asked = rounds.findIndex(({ proposals }) =>
    proposals.some(({ edits }) => edits.some(({ id }) => id === route.query.edit)),
  )
  const shown = Math.max(wanted, asked + 1)
  const scale = effectScale(rounds)
  const limit = `-${Math.round(100 * scale)} to +${Math.round(100 * scale)} points`
  return (
    <section aria-labelledby="rounds">
      <h2 id="rounds">
        Search <small>{rounds.length === 1 ? 'one round' : `${rounds.length} rounds`} on training cases</small>
      </h2>
      <p>
        Each run of a mix had a random half of its round’s edits. The effects below are search estimates, shrunk towards
        0, and no proof of any single edit{history.certification == null ? '.' : '; only the whole was certified.'}{' '}
        Edits with an effect above 0 were kept.
      </p>
      <VersionPicture route={route} history={history} rounds={rounds.slice(0, shown)} />
      {rounds.slice(0, shown).map((round, place) => (
        <RoundCard key={`${place}`} model={model} route={route} round={round} scale={scale} />
      ))}
      <p class="hint">Bars: estimated effect of an edit, {limit}; line in the middle: no effect.</p>
      <MoreButton shown={shown} of={rounds.length} step={most} noun="rounds" show={setShown} />
    </section>
  )
}

function effectScale(rounds: readonly SearchRound[]): number {
  let largest = leastScale
  for (const { proposals } of rounds) {
    for (const { edits } of proposals) {
      for (const { effect } of edits) largest = Math.max(largest, Math.abs(effect ?? 0))
    }
  }
  return largest
}
