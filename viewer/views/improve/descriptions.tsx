/** The search for a better description: the result of each one on its training queries and on the test queries. */
import type { Description, DescriptionScore } from '../../../schemas/description.ts'
import type { Known } from '../../../schemas/page.ts'
import { displayPercent, displayPoints, displayProbability } from '../../format.ts'
import { Figure } from '../../parts/charts/rate_figure.tsx'
import { UnknownForm } from '../../parts/content/raw_artefact.tsx'

export function Descriptions({ description }: { description: Known<Description> }) {
  return (
    <section aria-labelledby="descriptions">
      <h2 id="descriptions">Descriptions tried</h2>
      {'value' in description ? (
        <Search search={description.value} />
      ) : (
        <UnknownForm title={null} file="description.json" raw={description.raw} />
      )}
    </section>
  )
}

function Search({ search }: { search: Description }) {
  const { accepted, applied, reason, test, attempts, best_round } = search
  return (
    <>
      <p class="text">
        <em class={accepted ? 'tag' : 'tag warn'}>{accepted ? 'accepted' : 'not accepted'}</em> {reason}
        {accepted && (applied ? ' SKILL.md has the new description.' : ' SKILL.md is unchanged.')}
      </p>
      {test !== null && (
        <div class="figures">
          <Figure name="original, test queries" value={displayPercent(test.before.behaves)} range={null}>
            of runs behave as they should; {ratesText(test.before)}
          </Figure>
          <Figure name="best, test queries" value={displayPercent(test.after.behaves)} range={null}>
            of runs behave as they should; {ratesText(test.after)}
          </Figure>
          <Figure name="difference, test queries" value={displayPoints(test.difference)} range={null}>
            points over {test.queries} {test.queries === 1 ? 'query' : 'queries'} that no proposer saw; p{' '}
            {displayProbability(test.p_value)}, accepted at {test.alpha} or less
          </Figure>
        </div>
      )}
      <ul class="versions">
        {attempts.map(({ round, description, train, refused }) => (
          <li key={`${round}-${description}`} class="version">
            <p>
              <strong>{round === 0 ? 'original' : `Round ${round}`}</strong>{' '}
              {round === best_round && <em class="tag">best on training queries</em>}{' '}
              {refused !== null && <em class="tag bad">refused</em>}{' '}
              {train !== null && (
                <small>
                  training: {displayPercent(train.behaves)} of runs behave as they should; {ratesText(train)}
                </small>
              )}
            </p>
            <p class="text">{description}</p>
            {refused !== null && <p class="text hint">{refused}</p>}
          </li>
        ))}
      </ul>
    </>
  )
}

function ratesText({ recall, false_trigger_rate }: DescriptionScore): string {
  const known = (rate: number | null) => (rate === null ? 'unknown' : displayPercent(rate))
  return `recall ${known(recall)}, wrongly triggered ${known(false_trigger_rate)}`
}
