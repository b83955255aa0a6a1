/** One blind comparison: the verdict, both orders, the scores, what is good and bad of each; the key last. */
import type { ComparedSide, Comparison } from '../../schemas/comparison.ts'
import type { Known, PageCase } from '../../schemas/page.ts'
import { own } from '../data/own.ts'
import { Fold } from '../parts/fold.tsx'
import { Tree } from '../parts/json_tree.tsx'
import { Listed } from '../parts/listed.tsx'
import { amend, link, type Route } from '../route.ts'
import { armLabel, dollars, plural, visible } from '../words.ts'

export interface Pair {
  /** Its path in the benchmark, such as eval-1-totals/comparison-2.json. */
  name: string
  comparison: Known<Comparison>
  case: PageCase | undefined
  /** Of the runs. */
  number: string
  title: string
  /** null: of no known form. */
  winner: Comparison['winner'] | null
}

interface Props {
  route: Route
  pair: Pair
  /** From the start. */
  open: boolean
}

export function PairOfOutputs({ route, pair, open }: Props) {
  const { name, comparison, case: one, number } = pair
  return (
    <Fold
      kind="card fold pair-of-outputs"
      open={open}
      asked={route.query.at === name}
      ask={(asked) => amend(route, { at: asked ? name : undefined })}
      summary={
        <>
          <span class={`chip ${pair.winner === 'TIE' ? 'inconclusive' : ''}`}>{verdictOf(pair)}</span>{' '}
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
          <Tree value={comparison.raw} />
        )
      }
    </Fold>
  )
}

function verdictOf({ winner }: Pair): string {
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
          Judged by <bdi>{judge.model ?? judge.engine}</bdi> in {plural(judge.calls, 'call')},{' '}
          {judge.cost_usd === null ? 'cost not known' : dollars(judge.cost_usd)}
          {lengths !== undefined &&
            `; answers of ${lengths.A.response_chars} (A) and ${lengths.B.response_chars} (B) characters`}
        </p>
      )}
      <Key comparison={comparison} caseId={caseId} run={run} />
    </>
  )
}

/** Each order that it was asked in. */
function Orders({ comparison: { judgements = [] } }: { comparison: Comparison }) {
  if (judgements.length === 0) return null
  return (
    <Listed
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
          <td>{overall_score.A}</td>
          <td>{overall_score.B}</td>
          <td class="left wrap">
            <bdi>{reasoning}</bdi>
          </td>
        </tr>
      ))}
    </Listed>
  )
}

function Scores({ comparison: { rubric, criteria } }: { comparison: Comparison }) {
  const meanings = new Map(
    [...(criteria?.content ?? []), ...(criteria?.structure ?? [])].map((one) => [one.name, one.meaning]),
  )
  const rows = (kind: 'content' | 'structure') =>
    [...new Set([...Object.keys(rubric.A[kind]), ...Object.keys(rubric.B[kind])])].map((name) => (
      <tr key={`${kind}-${name}`}>
        <th scope="row">
          <bdi>{visible(name)}</bdi> <small>{visible(meanings.get(name) ?? kind)}</small>
        </th>
        <td>{own(rubric.A[kind], name) ?? '–'}</td>
        <td>{own(rubric.B[kind], name) ?? '–'}</td>
      </tr>
    ))
  const sum = (label: string, of: (side: ComparedSide) => number) => (
    <tr class="sum">
      <th scope="row">{label}</th>
      <td>{of(rubric.A)}</td>
      <td>{of(rubric.B)}</td>
    </tr>
  )
  return (
    <Listed columns={['', 'A', 'B']} caption="Scores, 1 to 5" bare>
      {rows('content')}
      {sum('content', (side) => side.content_score)}
      {rows('structure')}
      {sum('structure', (side) => side.structure_score)}
      {sum('overall, 2 to 10', (side) => side.overall_score)}
    </Listed>
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
            <span class={passed ? 'better' : 'worse'} role="img" aria-label={passed ? 'met' : 'not met'}>
              {passed ? '✓' : '✗'}
            </span>{' '}
            {text}
          </li>
        ))}
      </ul>
    </div>
  )
}

/** The judge knew of none of it. */
function Key({ comparison: { sides }, caseId, run }: { comparison: Comparison; caseId: number | null; run: string }) {
  if (sides === undefined) return null
  return (
    <details class="key">
      <summary>The key: which was which</summary>
      {(['A', 'B'] as const).map((side) => {
        const { configuration } = sides[side]
        const name = <bdi>{visible(armLabel(configuration))}</bdi>
        return (
          <p key={side}>
            {side} is {caseId === null ? name : <a href={link(['run', caseId, configuration, run])}>{name}</a>}
          </p>
        )
      })}
    </details>
  )
}
