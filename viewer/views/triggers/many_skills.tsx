/** What `triggers --all` measured: which skills take the queries of others, how sure that is, and what has no answer. */
import type { DescriptionOverlap } from '../../../schemas/overlap.ts'
import type { Known } from '../../../schemas/page.ts'
import type { TriggerMatrix } from '../../../schemas/trigger_matrix.ts'
import { displayCount, displayDollars, displayPercent, displayPlural, displaySeconds } from '../../format.ts'
import { Figure } from '../../parts/charts/rate_figure.tsx'
import { UnknownForm } from '../../parts/content/raw_artefact.tsx'
import { ListTable } from '../../parts/layout/data_table.tsx'
import { Facts } from '../../parts/run/facts.tsx'
import { ReadGrid } from './read_grid.tsx'
import { SkillTable } from './skill_table.tsx'
import { TheftList } from './theft_list.tsx'

interface Props {
  matrix: Known<TriggerMatrix>
  /** Its title is the page's. */
  leads: boolean
}

export function ManySkills({ matrix, leads }: Props) {
  if ('value' in matrix) return <MeasuredSkills matrix={matrix.value} leads={leads} />
  return (
    <>
      <header class="lead">{leads ? <h1>Triggers of many skills</h1> : <h2>Triggers of many skills</h2>}</header>
      <UnknownForm title={null} file="trigger_matrix.json" raw={matrix.raw} />
    </>
  )
}

function MeasuredSkills({ matrix, leads }: { matrix: TriggerMatrix; leads: boolean }) {
  const { skills, summary, overlaps } = matrix
  const thieves = skills.filter(({ takes_from }) => takes_from.length > 0).length
  const title =
    thieves === 0
      ? 'No skill is shown to take queries of another'
      : `${displayPlural(thieves, 'skill')} ${thieves === 1 ? 'takes' : 'take'} queries of other skills`
  const lowest = summary.lowest_recall
  return (
    <>
      <header class="lead">
        {leads ? <h1>{title}</h1> : <h2>{title}</h2>}
        <p class="hint">
          {displayPlural(summary.skills, 'skill')}, {displayPlural(summary.queries, 'query', 'queries')}
          {lowest !== null && `; the lowest recall is ${displayPercent(lowest)}`}
        </p>
      </header>
      <MatrixGaps matrix={matrix} />
      <TheftList matrix={matrix} />
      <SkillTable skills={skills} />
      <ReadGrid matrix={matrix} />
      <Overlaps overlaps={overlaps} />
      <MatrixCosts matrix={matrix} />
      <MatrixFacts matrix={matrix} />
    </>
  )
}

/** What the rates exclude, shown before them. */
function MatrixGaps({ matrix: { summary, stop, runs, warnings, set_warnings, complete } }: { matrix: TriggerMatrix }) {
  const { runs_failed, runs_missing, runs_planned, runs_decided } = summary
  const lost = [
    ...(runs_failed > 0 ? [`${displayCount(runs_failed)} failed`] : []),
    ...(runs_missing > 0 ? [`${displayCount(runs_missing)} ${runs_missing === 1 ? 'is' : 'are'} missing`] : []),
  ]
  const first = new Map<string, string>()
  for (const { error } of runs) if (error !== null && !first.has(error.kind)) first.set(error.kind, error.message)
  const said = [
    ...warnings,
    ...[...first].map(([kind, message]) => `${kind}: ${message}`),
    ...set_warnings
      .filter(({ at }) => at !== 'description')
      .map(({ file, at, message }) => `${file} ${at}: ${message}`),
  ]
  if (complete && stop === null && said.length === 0) return null
  return (
    <section class="banner" aria-labelledby="matrix-gaps">
      <h2 id="matrix-gaps">{complete ? 'Warnings' : 'Incomplete'}</h2>
      {stop !== null && <p>{stop.reason}</p>}
      {lost.length > 0 && (
        <p>
          Of {displayPlural(runs_planned, 'planned run')} {lost.join(' and ')}:{' '}
          {runs_failed + runs_missing === 1 ? 'it is' : 'they are'} excluded from the rates.
        </p>
      )}
      {!complete && runs_decided === runs_planned && <p>Some queries are not decided.</p>}
      {said.map((text) => (
        <p key={text}>
          <bdi>{text}</bdi>
        </p>
      ))}
    </section>
  )
}

/** Descriptions that are close, found without a model. */
function Overlaps({ overlaps }: { overlaps: readonly DescriptionOverlap[] }) {
  if (overlaps.length === 0) return null
  const columns = ['skills', 'similarity', 'in both', 'one names the other']
  return (
    <section aria-labelledby="overlaps">
      <h2 id="overlaps">
        Close descriptions <small>found without a model</small>
      </h2>
      <ListTable columns={columns} words={['skills', 'in both', 'one names the other']} kind="stacks">
        {overlaps.map(({ a, b, similarity, words, phrases, delimited }) => (
          <tr key={`${a} ${b}`}>
            <th scope="row">
              <bdi>{a}</bdi>, <bdi>{b}</bdi>
            </th>
            <td data-column="similarity">{similarity.toFixed(2)}</td>
            <td class="left wrap" data-column="in both">
              <bdi>{[...phrases.map((one) => `"${one}"`), ...words].join(', ')}</bdi>
            </td>
            <td class="left" data-column="one names the other">
              {delimited ? 'yes' : 'no'}
            </td>
          </tr>
        ))}
      </ListTable>
    </section>
  )
}

function MatrixCosts({ matrix: { cost, summary, options } }: { matrix: TriggerMatrix }) {
  const { runs_planned, runs_grid, grid_share } = summary
  return (
    <section aria-labelledby="matrix-costs">
      <h2 id="matrix-costs">Runs and cost</h2>
      <div class="figures">
        <Figure
          name="runs of the full grid"
          value={`${displayCount(runs_planned)} of ${displayCount(runs_grid)}`}
          range={null}
        >
          {displayPercent(grid_share)}
          {options.until === 'decided' && '; queries of decided skills were not run again (--full-grid runs all)'}
        </Figure>
        <Figure name="cost" value={cost.usd === null ? 'not known' : displayDollars(cost.usd)} range={null}>
          {cost.tokens === null ? 'tokens not known' : `${displayCount(cost.tokens)} tokens`},{' '}
          {displaySeconds(cost.seconds)} of work
          {cost.unknown > 0 && `; of ${displayPlural(cost.unknown, 'run')} the cost is not known`}
        </Figure>
      </div>
    </section>
  )
}

function MatrixFacts({
  matrix: { name, engine, model, options, pairs_tested, created_at },
}: {
  matrix: TriggerMatrix
}) {
  const facts = [
    ['folder of skills', name],
    ['engine', `${engine.name}${model === null ? '' : ` · ${model}`}`],
    ['runs per query', `at most ${options.runs}`],
    ['pairs tested', displayCount(pairs_tested)],
    ['created', created_at],
  ]
  const listed = facts.map(([name = '', value = '']) => ({ name, value }))
  return <Facts id="matrix-facts" title="Provenance" facts={listed} />
}
