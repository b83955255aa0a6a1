/** Skills that take the queries of others, each with its evidence: rate, adjusted p-value, and the queries with their runs. */
import type { MatrixQuery, SkillTheft, TriggerMatrix } from '../../../schemas/trigger_matrix.ts'
import { displayPercent, displayPlural, displayProbability } from '../../format.ts'
import { Share } from '../../parts/charts/rate_chart.tsx'
import { Fold } from '../../parts/layout/fold.tsx'

export function TheftList({ matrix }: { matrix: TriggerMatrix }) {
  const named = matrix.pairs.filter((pair) => pair.named)
  const others = matrix.pairs.length - named.length
  if (matrix.pairs.length === 0) return null
  return (
    <section aria-labelledby="thefts">
      <h2 id="thefts">
        Who takes whose queries <small>{named.length}</small>
      </h2>
      {named.length > 0 && (
        <ul class="queries card">
          {named.map((theft) => (
            <Theft key={`${theft.skill} ${theft.taken_by}`} theft={theft} matrix={matrix} />
          ))}
        </ul>
      )}
      {others > 0 && (
        <p class="hint">
          {named.length > 0 ? 'Also read' : 'Read'} for queries of another: {displayPlural(others, 'pair')} without
          enough evidence, see the grid below.
        </p>
      )}
    </section>
  )
}

function Theft({ theft, matrix }: { theft: SkillTheft; matrix: TriggerMatrix }) {
  const { skill, taken_by, reads, runs, rate, query_ids, q_value } = theft
  const taken = matrix.queries.filter(({ query_id }) => query_ids.includes(query_id))
  return (
    <li class="query-row">
      <Fold
        summary={
          <>
            <span class="chip fail">takes</span>
            <span class="query">
              <span>
                <strong>
                  <bdi>{taken_by}</bdi>
                </strong>{' '}
                takes queries of{' '}
                <strong>
                  <bdi>{skill}</bdi>
                </strong>
              </span>
              <small>
                {displayPlural(taken.length, 'query', 'queries')}; adjusted p {displayProbability(q_value)}
              </small>
            </span>
            <span class="rate">
              <strong>
                {reads}/{runs}
              </strong>{' '}
              <small>
                {displayPercent(rate.value)}, 95% CI {displayPercent(rate.ci_low)} to {displayPercent(rate.ci_high)}
              </small>
              <Share
                value={rate.value}
                low={rate.ci_low}
                high={rate.ci_high}
                threshold={matrix.options.tolerated_rate}
                is="worse"
              />
            </span>
          </>
        }
      >
        {() => (
          <ol class="query-runs">
            {taken.map((query) => (
              <li key={query.query_id}>
                <TakenQuery query={query} by={taken_by} matrix={matrix} />
              </li>
            ))}
          </ol>
        )}
      </Fold>
    </li>
  )
}

function TakenQuery({ query, by, matrix }: { query: MatrixQuery; by: string; matrix: TriggerMatrix }) {
  const { query_id, runs, reads } = query
  const count = reads.find(({ skill }) => skill === by)?.runs ?? 0
  const folders = matrix.runs.filter((run) => run.query_id === query_id && run.read === by).map(({ run_id }) => run_id)
  return (
    <>
      <bdi>{query.query}</bdi>{' '}
      <small>
        query {query_id}: read in {count} of {displayPlural(runs, 'run')} · <bdi>{folders.join(', ')}</bdi>
      </small>
    </>
  )
}
