/** The comparisons between rows of an index as plain text: the front of pass rate and price, and engines and models in pairs. */
import type { BenchmarkIndex, IndexPair, IndexRow } from '../../../../schemas/benchmark_index.ts'
import { formatPlural, formatPointRange, formatProbability, formatWholePoints } from '../text/format.ts'
import type { SummaryTable } from '../text/summary_table.ts'
import { nameIndexRow } from './indexed_benchmark.ts'

/** "on the front", "dominated by a", "maybe dominated by a"; null: not compared. */
export function frontText({ front }: IndexRow): string | null {
  switch (front?.status) {
    case 'front':
      return 'on the front'
    case 'open':
      return `maybe dominated by ${front.by}`
    case 'dominated':
      return `dominated by ${front.by}`
    case undefined:
      return null
  }
}

const axes: Record<NonNullable<BenchmarkIndex['front_axes']>, string> = {
  rate_and_cost: 'pass rate with the skill and cost per run',
  rate_and_tokens: 'pass rate with the skill and tokens per run',
  lift_and_cost: 'what the skill adds to the pass rate and to the cost of a run',
  lift_and_tokens: 'what the skill adds to the pass rate and to the tokens of a run',
}

/** Which rows no other beats in both, and how that was decided; null: not compared. */
export function frontSentence({ rows, front_axes }: BenchmarkIndex): string | null {
  if (front_axes === undefined) return null
  const names = (status: NonNullable<IndexRow['front']>['status']) =>
    rows.filter(({ front }) => front?.status === status).map(nameIndexRow)
  const open = names('open')
  const shown = names('dominated')
  const parts = [
    `not dominated: ${names('front').join(', ')}`,
    ...(open.length > 0 ? [`maybe dominated, which may be chance: ${open.join(', ')}`] : []),
    ...(shown.length > 0 ? [`dominated, by a test: ${shown.join(', ')}`] : []),
  ]
  const untested = front_axes.startsWith('lift') ? ' The skills have different suites, so nothing is tested.' : ''
  return `By ${axes[front_axes]}, ${parts.join('; ')}.${untested}`
}

/** One row per pair of engines or models; null: no matrix. */
export function pairsTable({ pairs = [], rows }: BenchmarkIndex): SummaryTable | null {
  if (pairs.length === 0) return null
  const isOneSkill = new Set(rows.map(({ skill }) => skill)).size === 1
  return {
    header: ['pair', 'with the skill', 'p (Holm)', 'what the skill adds', 'p (Holm)', 'cases'],
    rows: pairs.map((pair) => [
      `${isOneSkill ? '' : `${pair.skill}: `}${pair.first} − ${pair.second}`,
      ...differenceCells(pair.with_skill),
      ...differenceCells(pair.lift),
      String(pair.n_cases),
    ]),
  }
}

function differenceCells(found: IndexPair['lift']): [string, string] {
  if (found === null) return ['–', '–']
  const { mean, ci_low, ci_high, p_adjusted } = found
  return [`${formatWholePoints(mean)} points ${formatPointRange(ci_low, ci_high)}`, formatProbability(p_adjusted)]
}

/** What the pairs show, and why a pair has no test; null: no matrix. */
export function pairsSentence({ pairs = [], alpha }: BenchmarkIndex): string | null {
  if (pairs.length === 0) return null
  const differ = (what: 'with_skill' | 'lift') =>
    pairs.filter((pair) => pair[what] !== null && (pair[what]?.p_adjusted ?? 1) <= alpha).length
  const reasons = [...new Set(pairs.flatMap(({ reason }) => reason ?? []))]
  const untested = reasons.length === 0 ? '' : ` Not tested: ${reasons.join('; ')}.`
  const of = formatPlural(pairs.length, 'pair')
  return `The pass rate with the skill differs in ${differ('with_skill')} of ${of}, and what the skill adds in ${differ('lift')} (95% CI; p adjusted by Holm for the pairs).${untested}`
}
