/** One blind comparison: the verdict, both orders, the scores, strengths and weaknesses; which side was which comes last. */
import type { ComparedSide, Comparison } from '../../../schemas/comparison.ts'
import type { Known, PageCase } from '../../../schemas/page.ts'
import { ownEntry } from '../../data/own_property.ts'
import { displayArm, displayDollars, displayPlural, revealHidden } from '../../format.ts'
import { JsonValueTree } from '../../parts/content/json_tree.tsx'
import { ListTable } from '../../parts/layout/data_table.tsx'
import { Fold } from '../../parts/layout/fold.tsx'
import { amendRoute, type Route, routeLink } from '../../route.ts'

export interface OutputPair {
  /** Its path in the benchmark, such as eval-1-totals/comparison-2.json. */
  name: string
  comparison: Known<Comparison>
  case: PageCase | undefined
  /** The run number of both sides. */
  number: string
  title: string
  /** null: the file fits no known schema. */
  winner: Comparison['winner'] | null
}

interface Props {
  route: Route
  pair: OutputPair
  /** Open from the start. */
  open: boolean
}

export function PairOfOutputs({ route, pair, open }: Props) {
  const { name, comparison, case: one, number } = pair
  return (
    <Fold
      kind="card fold pair-of-outputs"
      open={open}
      asked={route.query.at === name}
      ask={(asked) => amendRoute(route, { at: asked ? name : undefined })}
      summary={
        <>
          <span class={`chip ${pair.winner === 'TIE' ? 'inconclusive' : ''}`}>{winnerText(pair)}</span>{' '}
          <strong>
            <bdi>{pair.title}</bdi>
          </strong>{' '}
          <small>run {number}</small>
        </>
      }
    >
      {() =>
        'value' in comparison ? (
          <Verdict comparison={comparison.value} caseId={one?.eval_id ?? null} run={number} />
        ) : (
          <JsonValueTree value={comparison.raw} />
        )
      }
    </Fold>
  )
}

function winnerText({ winner }: OutputPair): string {
  return winner === null ? 'of no known form' : winner === 'TIE' ? 'tie' : `${winner} is better`
}

function Verdict({ comparison, caseId, run }: { comparison: Comparison; caseId: number | null; run: string }) {
  const { reasoning, contradicts_scores, flips, judge, lengths } = comparison
  return (
    <>
      <p class="text">{reasoning}</p>
      {flips === 1 && <p class="banner">The judgements differ with the order: a tie.</p>}
      {contradicts_scores === true && <p class="banner">The winner has the lower score.</p>}
      <Orders comparison={comparison} />
      <Scores comparison={comparison} />
      <div class="beside">
        {(['A', 'B'] as const).map((side) => (
          <Side key={side} side={side} comparison={comparison} />
        ))}
      </div>
      {judge !== undefined && (
        <p class="hint">
          Judged by <bdi>{judge.model ?? judge.engine}</bdi> in {displayPlural(judge.calls, 'call')},{' '}
          {judge.cost_usd === null ? 'cost not known' : displayDollars(judge.cost_usd)}
          {lengths !== undefined &&
            `; answers of ${lengths.A.response_chars} (A) and ${lengths.B.response_chars} (B) characters`}
        </p>
      )}
      <Key comparison={comparison} caseId={caseId} run={run} />
    </>
  )
}

/** Both orders in which the judge saw the pair. */
function Orders({ comparison: { judgements = [] } }: { comparison: Comparison }) {
  if (judgements.length === 0) return null
  const show = formatScores(judgements.flatMap(({ overall_score: { A, B } }) => [A, B]))
  return (
    <ListTable
      columns={['shown first', 'better', 'A', 'B', 'why']}
      words={['shown first', 'better', 'why']}
      caption="In both orders"
      kind="orders"
      bare
    >
      {judgements.map(({ shown_first, winner, overall_score, reasoning }, index) => (
        <tr key={`${index}`}>
          <th scope="row">{shown_first}</th>
          <td class="left">{winner === 'TIE' ? 'tie' : winner}</td>
          <td>{show(overall_score.A)}</td>
          <td>{show(overall_score.B)}</td>
          <td class="left wrap">
            <bdi>{reasoning}</bdi>
          </td>
        </tr>
      ))}
    </ListTable>
  )
}

function Scores({ comparison: { rubric, criteria } }: { comparison: Comparison }) {
  const meanings = new Map(
    [...(criteria?.content ?? []), ...(criteria?.structure ?? [])].map((one) => [one.name, one.meaning]),
  )
  const show = formatScores(
    [rubric.A, rubric.B].flatMap(({ content_score, structure_score, overall_score }) => [
      content_score,
      structure_score,
      overall_score,
    ]),
  )
  const rows = (kind: 'content' | 'structure') =>
    [...new Set([...Object.keys(rubric.A[kind]), ...Object.keys(rubric.B[kind])])].map((name) => (
      <tr key={`${kind}-${name}`}>
        <th scope="row">
          <bdi>{revealHidden(name)}</bdi> <small>{revealHidden(meanings.get(name) ?? kind)}</small>
        </th>
        <td>{show(ownEntry(rubric.A[kind], name))}</td>
        <td>{show(ownEntry(rubric.B[kind], name))}</td>
      </tr>
    ))
  const sum = (label: string, of: (side: ComparedSide) => number) => (
    <tr class="sum">
      <th scope="row">{label}</th>
      <td>{show(of(rubric.A))}</td>
      <td>{show(of(rubric.B))}</td>
    </tr>
  )
  return (
    <ListTable columns={['', 'A', 'B']} caption="Scores, 1 to 5" bare>
      {rows('content')}
      {sum('content', (side) => side.content_score)}
      {rows('structure')}
      {sum('structure', (side) => side.structure_score)}
      {sum('overall, 2 to 10', (side) => side.overall_score)}
    </ListTable>
  )
}

function Side({ side, comparison }: { side: 'A' | 'B'; comparison: Comparison }) {
  const { strengths, weaknesses } = comparison.output_quality[side]
  const results = comparison.expectation_results?.[side]
  return (
    <div>
      <h3>{side}</h3>
      <ul class="notes">
        {strengths.map((text) => (
          <li key={text}>
            <span class="better">+</span> {text}
          </li>
        ))}
        {weaknesses.map((text) => (
          <li key={text}>
            <span class="worse">−</span> {text}
          </li>
        ))}
        {results?.details.map(({ text, passed }) => (
          <li key={`e-${text}`}>
            <span class={passed ? 'better' : 'worse'} role="img" aria-label={passed ? 'passed' : 'failed'}>
              {passed ? '✓' : '✗'}
            </span>{' '}
            {text}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Formats the scores of a table: with one decimal if any of them has one. */
function formatScores(scores: readonly number[]): (score: number | undefined) => string {
  const digits = scores.every(Number.isInteger) ? 0 : 1
  return (score) => score?.toFixed(digits) ?? '–'
}

/** The judge did not know any of this. */
function Key({ comparison: { sides }, caseId, run }: { comparison: Comparison; caseId: number | null; run: string }) {
  if (sides === undefined) return null
  return (
    <details class="key">
      <summary>The key: which was which</summary>
      {(['A', 'B'] as const).map((side) => {
        const { configuration } = sides[side]
        const name = <bdi>{revealHidden(displayArm(configuration))}</bdi>
        return (
          <p key={side}>
            {side} is {caseId === null ? name : <a href={routeLink(['run', caseId, configuration, run])}>{name}</a>}
          </p>
        )
      })}
    </details>
  )
}
