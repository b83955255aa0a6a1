/** Draws the versions as nodes and the edits of each round as strands: a kept one leads to the next version, another one ends. */
import type { ComponentChildren } from 'preact'
import type { SearchRound } from '../../../../schemas/history/round.ts'
import type { History } from '../../../../schemas/history.ts'
import { displayPlural } from '../../../format.ts'
import { type Route, routeLink } from '../../../route.ts'
import { type EditOutcome, editOutcome, outcomeMarks } from './edit_outcome.ts'

/** Of a round; kept ones come first if there are more. */
const mostStrands = 16
/** This many rounds fit side by side on a wide screen. */
const chained = 4
/** In px, as in the style. */
const rowHeight = 24
const curveWidth = 32

interface Props {
  route: Route
  history: History
  rounds: readonly SearchRound[]
}

export function VersionPicture({ route, history, rounds }: Props) {
  const best = history.certification?.best ?? history.current_best
  return (
    <figure class={rounds.length <= chained ? 'card version-picture chain' : 'card version-picture'}>
      <ol>
        {rounds.map((round, place) => {
          // in a chain, the version of the round before is drawn already
          const isDrawn = place > 0 && rounds[place - 1]?.version === round.parent
          return (
            <li key={`${place}`} class="picture-step">
              <Node name={round.parent} best={best} kind={isDrawn ? 'again' : ''} />
              <Strands route={route} round={round} />
              {round.version === null ? (
                <span class="node none">no new version</span>
              ) : (
                <Node name={round.version} best={best} />
              )}
            </li>
          )
        })}
      </ol>
      <figcaption class="hint">
        Left to right: a version, the edits that were tried on it, the next version.{' '}
        {(['kept', 'not kept', 'refused'] as const).map((outcome) => (
          <span class="sign-key" key={outcome}>
            <Sign outcome={outcome} /> {outcome}
          </span>
        ))}
      </figcaption>
    </figure>
  )
}

function Node({ name, best, kind = '' }: { name: string; best: string; kind?: string }) {
  return (
    <span class={`node ${name === best ? 'best' : ''} ${kind}`}>
      <bdi>{name}</bdi>
      {name === best && <small>best</small>}
    </span>
  )
}

function Sign({ outcome }: { outcome: EditOutcome }): ComponentChildren {
  return (
    <i class={`sign ${outcome.replaceAll(' ', '-')}`} aria-hidden="true">
      {outcomeMarks[outcome]}
    </i>
  )
}

function Strands({ route, round }: { route: Route; round: SearchRound }) {
  const all = round.proposals
    .flatMap((proposal) => proposal.edits.map((edit) => ({ id: edit.id, outcome: editOutcome(edit, proposal) })))
    .map((one, place) => ({ ...one, place }))
  const isLong = all.length > mostStrands
  const sorted = isLong ? all.toSorted((a, b) => rank(a.outcome) - rank(b.outcome) || a.place - b.place) : all
  const drawn = sorted.slice(0, mostStrands)
  const kept = all.filter(({ outcome }) => outcome === 'kept').length
  const rows = drawn.length + (isLong ? 1 : 0)
  const label = `Round ${round.round}: ${kept} of ${displayPlural(all.length, 'edit')} kept`
  return (
    <ul class="strands" aria-label={label}>
      {drawn.map(({ id, outcome, place }, row) => (
        <li key={`${place}`} class={`strand ${outcome.replaceAll(' ', '-')}`}>
          <Curve row={row} rows={rows} side="from" />
          <a href={routeLink(['improve'], { ...route.query, edit: id })}>
            <Sign outcome={outcome} />
            <bdi class="strand-id">{id}</bdi> <span class="unseen">{outcome}</span>
          </a>
          {outcome === 'kept' && <Curve row={row} rows={rows} side="to" />}
        </li>
      ))}
      {isLong && <li class="strand rest hint">{all.length - drawn.length} more</li>}
      {all.length === 0 && <li class="strand rest hint">no edit</li>}
    </ul>
  )
}

function rank(outcome: EditOutcome): number {
  return ['kept', 'not kept', 'did not run', 'refused'].indexOf(outcome)
}

/** From the middle of the version to the row, or back. */
function Curve({ row, rows, side }: { row: number; rows: number; side: 'from' | 'to' }) {
  const middle = ((rows - 1) / 2 - row) * rowHeight + rowHeight / 2
  const [start, end] = side === 'from' ? [middle, rowHeight / 2] : [rowHeight / 2, middle]
  const half = curveWidth / 2
  return (
    <svg width={curveWidth} height={rowHeight} aria-hidden="true">
      <path d={`M0 ${start}C${half} ${start} ${half} ${end} ${curveWidth} ${end}`} />
    </svg>
  )
}
