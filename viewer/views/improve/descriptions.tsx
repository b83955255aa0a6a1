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
        {accepted && (applied ? ' SKILL.md has it.' : ' SKILL.md is as it was.')}
      </p>
      {test !== null && (
        <div class="figures">
          <Figure name="as it is, test" value={displayPercent(test.before.behaves)} range={null}>
            of its runs do as they should; {ratesText(test.before)}
          </Figure>
          <Figure name="the best, test" value={displayPercent(test.after.behaves)} range={null}>
            of its runs do as they should; {ratesText(test.after)}
          </Figure>
          <Figure name="difference, test" value={displayPoints(test.difference)} range={null}>
            points over {test.queries} {test.queries === 1 ? 'query' : 'queries'} that nobody had looked at; p{' '}
            {displayProbability(test.p_value)}, at most {test.alpha} accepts
          </Figure>
        </div>
      )}
      <ul class="versions">
        {attempts.map(({ round, description, train, refused }) => (
          <li key={`${round}-${description}`} class="version">
            <p>
              <strong>{round === 0 ? 'as it is' : `Round ${round}`}</strong>{' '}
              {round === best_round && <em class="tag">the best on training queries</em>}{' '}
              {refused !== null && <em class="tag bad">refused</em>}{' '}
              {train !== null && (
                <small>
                  training: {displayPercent(train.behaves)} of its runs do as they should; {ratesText(train)}
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
  const known = (rate: number | null) => (rate === null ? 'not known' : displayPercent(rate))
  return `recall ${known(recall)}, wrongly triggered ${known(false_trigger_rate)}`
}
