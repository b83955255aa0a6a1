/** How a session ended: why, which failures remain on training cases, and which proposers failed. */
import type { History } from '../../../schemas/history.ts'
import { displayDollars, displayPlural } from '../../format.ts'

/** Of the lists. */
const most = 30

export function SessionEnd({ history }: { history: History }) {
  const { ending, stopped, failed_proposals: failed = [] } = history
  const end = stopped ?? ending
  if (end === undefined && failed.length === 0) return null
  return (
    <section aria-labelledby="session-end">
      <h2 id="session-end">
        {stopped !== undefined ? 'How the session ended' : end === undefined ? 'So far' : 'How the search ended'}
      </h2>
      {end !== undefined && (
        <p>
          <em class="tag">{end.reason.replaceAll('_', ' ')}</em> <span class="text">{end.message}</span>
        </p>
      )}
      <RemainingFailures failures={stopped?.failures ?? []} />
      <FailedProposals failed={failed} />
    </section>
  )
}

type Failures = NonNullable<NonNullable<History['stopped']>['failures']>

function RemainingFailures({ failures }: { failures: Failures }) {
  if (failures.length === 0) return null
  return (
    <>
      <h3 class="below">
        Remaining failures on training cases <small>{failures.length}; most frequent first</small>
      </h3>
      <ul class="notes">
        {failures.slice(0, most).map(({ kind, cases, runs }, place) => (
          <li key={`${place}`}>
            <strong>
              <bdi>{kind}</bdi>
            </strong>{' '}
            {displayPlural(runs, 'run')} of {cases.length === 1 ? 'case' : 'cases'} {cases.join(', ')}
          </li>
        ))}
      </ul>
      <Rest of={failures.length} />
    </>
  )
}

function FailedProposals({ failed }: { failed: NonNullable<History['failed_proposals']> }) {
  if (failed.length === 0) return null
  return (
    <>
      <h3 class="below">
        Failed proposers <small>{failed.length}; each was asked again</small>
      </h3>
      <ul class="notes">
        {failed.slice(0, most).map(({ round, reason, tokens, cost_usd }, place) => (
          <li key={`${place}`}>
            Round {round}: <span class="text">{reason}</span>{' '}
            <small>
              {tokens === null ? 'tokens not known' : displayPlural(tokens, 'token')} ·{' '}
              {cost_usd === null ? 'cost not known' : displayDollars(cost_usd)}
            </small>
          </li>
        ))}
      </ul>
      <Rest of={failed.length} />
    </>
  )
}

function Rest({ of }: { of: number }) {
  return of > most ? <p class="hint">{of - most} more in history.json</p> : null
}
