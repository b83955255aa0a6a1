/** Reads and writes the comparisons of a benchmark, and summarizes them. */
import { existsSync, readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import path from 'node:path'
import { sampleCorrelation } from 'simple-statistics'
import { type Comparison, type ComparisonError, comparison, comparisonError } from '../../../schemas/comparison.ts'
import type { ComparisonSummary } from '../../../schemas/comparison_summary.ts'
import type { Plan } from '../../../schemas/plan.ts'
import { roundDollars, sum } from '../../base/totals.ts'
import type { AssessJudge } from '../../flows/judge_reliability.ts'
import { wilson } from '../../phases/4-report/stats/distributions/binomial.ts'
import { betaCdf } from '../../phases/4-report/stats/distributions/quantiles.ts'
import { formatFixed, round } from '../../phases/4-report/stats/numbers/round.ts'
import { usualOptions } from '../../phases/4-report/stats/statistics_options.ts'
import { formatConfiguration, formatPercent, formatPlural, pText } from '../../phases/4-report/text/format.ts'
import { type OnDamage, tryReadArtefact } from '../../store/artefacts/damage.ts'
import { writeArtefact } from '../../store/store.ts'

/** Of a benchmark that has comparisons. Wins count for the candidate, whichever side it was on. */
export const assessByComparisons: AssessJudge = async (folder, plan, tell) => {
  const onDamage = tell('ignored; the same command writes it again')
  const planned = new Set(plan.runs.map((run) => run.eval_id))
  const found = plan.cases
    .filter((one) => planned.has(one.eval_id))
    .map(({ eval_id, eval_name }) => ({
      eval_id,
      eval_name,
      stored: readComparisons(caseFolder(folder, plan, eval_id), onDamage),
    }))
  const comparison = tallyCases(found, { a: plan.candidate_configuration, b: plan.baseline_configuration })
  return comparison === null ? {} : { comparison }
}

/** A case's folder: the path of its runs without configuration and run number. */
export function caseFolder(folder: string, plan: Plan, evalId: number): string {
  const spec = plan.runs.find((run) => run.eval_id === evalId)
  if (spec === undefined) throw new Error(`plan has no run of case ${evalId}`)
  return path.join(folder, path.dirname(path.dirname(spec.run_id)))
}

/** null: nothing was compared. */
export function tallyCases(
  found: readonly { eval_id: number; eval_name: string; stored: ReturnType<typeof readComparisons> }[],
  { a, b }: { a: string; b: string },
): ComparisonSummary | null {
  const comparisons = found.flatMap(({ eval_id, eval_name, stored }) =>
    stored.judged.map(({ comparison }) => ({ eval_id, eval_name, comparison })),
  )
  const errors = found.reduce((sum, { stored }) => sum + stored.failed.length, 0)
  if (comparisons.length + errors === 0) return null
  const judges = new Set(
    comparisons.flatMap(({ comparison: { judge } }) =>
      judge ? [[judge.engine, judge.model].filter(Boolean).join(':')] : [],
    ),
  )
  return tallyComparisons({ a, b, judge: judges.size === 0 ? null : [...judges].join(', '), comparisons, errors })
}

/** A comparison with its case; its sides may be in the other order than `a` and `b`. */
interface CountedComparison {
  eval_id: number
  eval_name: string
  comparison: Comparison
}

export interface TallyInput {
  a: string
  b: string
  judge: string | null
  comparisons: readonly CountedComparison[]
  errors: number
}

/** Pure. Wins are wins of `a`. */
export function tallyComparisons({ a, b, judge, comparisons, errors }: TallyInput): ComparisonSummary {
  const pairs = comparisons.map((one) => toCountedPair(a, one))
  const of = (end: Result) => pairs.filter(({ result }) => result === end).length
  const [wins, losses, ties, n] = [of('win'), of('loss'), of('tie'), pairs.length]
  const interval = n === 0 ? null : wilson(wins + ties / 2, n, usualOptions.alpha)
  const flips = comparisons.reduce((sum, { comparison }) => sum + (comparison.flips ?? 0), 0)
  const single = comparisons.flatMap(({ comparison }) => comparison.judgements ?? [])
  const decided = single.filter(({ winner }) => winner !== 'TIE')
  const counted = {
    a,
    b,
    judge,
    pairs: n,
    wins,
    losses,
    ties,
    win_rate: n === 0 ? null : round((wins + ties / 2) / n, 6),
    ci_low: interval && round(interval.low, 6),
    ci_high: interval && round(interval.high, 6),
    method: 'wilson' as const,
    p_value: wins + losses === 0 ? null : round(signTest(wins, losses, 2), 6),
    flips,
    flip_rate: n === 0 ? null : round(flips / n, 6),
    shown_first_wins: {
      won: decided.filter(({ winner, shown_first }) => winner === shown_first).length,
      decided: decided.length,
    },
    length_correlation: lengthCorrelation(pairs),
    contradictions: comparisons.filter(({ comparison }) => comparison.contradicts_scores === true).length,
    errors,
    cost_usd: sumComparisonCost(comparisons),
    cases: groupPairsByCase(pairs),
  }
  return { ...counted, sentence: comparisonSentence(counted), warnings: comparisonWarnings(counted) }
}

type Result = 'win' | 'loss' | 'tie'

interface CountedPair extends CountedComparison {
  result: Result
  /** Characters and bytes of side `a` minus those of the other. */
  longer: number
  /** Overall score of side `a` minus that of the other. */
  better: number
}

function toCountedPair(a: string, one: CountedComparison): CountedPair {
  const { winner, rubric, lengths, sides } = one.comparison
  const sign = sides !== undefined && sides.A.configuration !== a && sides.B.configuration === a ? -1 : 1
  const size = (label: 'A' | 'B') => (lengths ? lengths[label].response_chars + lengths[label].bytes : 0)
  const won = winner === 'TIE' ? 0 : winner === 'A' ? sign : -sign
  return {
    ...one,
    result: won === 0 ? 'tie' : won > 0 ? 'win' : 'loss',
    longer: sign * (size('A') - size('B')),
    better: sign * (rubric.A.overall_score - rubric.B.overall_score),
  }
}

/** Spearman's: Pearson's of the ranks. null: fewer than four pairs, or nothing varies. */
function lengthCorrelation(pairs: readonly CountedPair[]): number | null {
  if (pairs.length < 4) return null
  const [longer, better] = [ranks(pairs.map((one) => one.longer)), ranks(pairs.map((one) => one.better))]
  if (new Set(longer).size === 1 || new Set(better).size === 1) return null
  return round(Math.max(-1, Math.min(1, sampleCorrelation(longer, better))), 6)
}

/** Equal values share the mean of their ranks. */
function ranks(values: readonly number[]): number[] {
  const sorted = [...values].sort((x, y) => x - y)
  return values.map((value) => (sorted.indexOf(value) + sorted.lastIndexOf(value)) / 2)
}

function sumComparisonCost(comparisons: readonly CountedComparison[]): number | null {
  const costs = comparisons.map(({ comparison }) => comparison.judge?.cost_usd ?? null)
  const known = costs.filter((cost) => cost !== null)
  return known.length === 0 || known.length < costs.length ? null : roundDollars(sum(known))
}

function groupPairsByCase(pairs: readonly CountedPair[]): ComparisonSummary['cases'] {
  const cases = new Map<number, ComparisonSummary['cases'][number]>()
  for (const { eval_id, eval_name, result } of pairs) {
    const row = cases.get(eval_id) ?? { eval_id, eval_name, wins: 0, losses: 0, ties: 0 }
    const field = ({ win: 'wins', loss: 'losses', tie: 'ties' } as const)[result]
    cases.set(eval_id, { ...row, [field]: row[field] + 1 })
  }
  return [...cases.values()].sort((x, y) => x.eval_id - y.eval_id)
}

type ComparisonCounts = Omit<ComparisonSummary, 'sentence' | 'warnings'>

/** "Blind and in both orders, with skill wins 7 of 12 pairs against without skill, loses 3, 2 ties (win rate 67% …)." */
function comparisonSentence(counted: ComparisonCounts): string {
  const { a, b, pairs, wins, losses, ties, win_rate, ci_low, ci_high, p_value } = counted
  if (pairs === 0 || win_rate === null)
    return `Blind comparison of ${formatConfiguration(a)} and ${formatConfiguration(b)}: no pair has been judged.`
  const range = ci_low === null || ci_high === null ? '' : ` [${formatPercent(ci_low)}, ${formatPercent(ci_high)}]`
  const p = p_value === null ? '' : `, sign test ${pText(p_value)}`
  return `Blind and in both orders, ${formatConfiguration(a)} wins ${wins} of ${formatPlural(pairs, 'pair')} against ${formatConfiguration(b)}, loses ${losses}, ${formatPlural(ties, 'tie')} (win rate ${formatPercent(win_rate)}${range}${p}).`
}

/** Flip rates and length correlations that make a judge's preference doubtful. */
const doubtful = { flipRate: 0.25, correlation: 0.7, pairs: 8 }

function comparisonWarnings(counted: ComparisonCounts): string[] {
  const { pairs, flips, flip_rate, shown_first_wins, length_correlation, contradictions, errors } = counted
  const { won, decided } = shown_first_wins
  return [
    ...(flip_rate !== null && flips > 0 && flip_rate >= doubtful.flipRate
      ? [
          `The judge changed ${flips} of ${formatPlural(pairs, 'verdict')} when the order was reversed (${flips === 1 ? 'it counts as a tie' : 'they count as ties'}); the side shown first won ${won} of ${formatPlural(decided, 'judgement')}.`,
        ]
      : []),
    ...(length_correlation !== null && pairs >= doubtful.pairs && Math.abs(length_correlation) >= doubtful.correlation
      ? [
          `Scores correlate with length (rank correlation ${formatFixed(length_correlation, 2)}): the ${length_correlation > 0 ? 'longer' : 'shorter'} output tends to win.`,
        ]
      : []),
    ...(contradictions > 0 ? [`In ${formatPlural(contradictions, 'pair')} the winner has the lower score.`] : []),
    ...(errors > 0
      ? [`${formatPlural(errors, 'pair')} could not be judged and ${errors === 1 ? 'does' : 'do'} not count here.`]
      : []),
  ]
}

/** Comparisons of a case in numeric order; those without a verdict are separate. Unreadable files count as absent and are reported. */
export interface StoredComparisons {
  judged: { number: number; comparison: Comparison }[]
  failed: { number: number; error: ComparisonError }[]
}

export function readComparisons(caseFolder: string, onDamage?: OnDamage): StoredComparisons {
  const stored: StoredComparisons = { judged: [], failed: [] }
  const names = existsSync(caseFolder) ? readdirSync(caseFolder) : []
  const numbers = names.flatMap((name) => {
    const [, number] = /^comparison(?:_error)?-(\d+)\.json$/.exec(name) ?? []
    return number === undefined ? [] : [Number(number)]
  })
  for (const number of [...new Set(numbers)].sort((a, b) => a - b)) {
    const paths = comparisonPaths(caseFolder, number)
    const one = tryReadArtefact(comparison, paths.comparison, onDamage)
    if (one !== null) stored.judged.push({ number, comparison: one })
    const error = one === null ? tryReadArtefact(comparisonError, paths.error, onDamage) : null
    if (error !== null) stored.failed.push({ number, error })
  }
  return stored
}

/** The comparison with this number; null: missing, or it can't be read. */
export function readComparison(caseFolder: string, number: number): Comparison | null {
  return tryReadArtefact(comparison, comparisonPaths(caseFolder, number).comparison)
}

export async function writeComparison(caseFolder: string, number: number, value: Comparison): Promise<void> {
  const paths = comparisonPaths(caseFolder, number)
  await writeArtefact(comparison, paths.comparison, value)
  await rm(paths.error, { force: true })
}

/** Also removes an earlier verdict with the same number, because it was about something else. */
export async function writeComparisonError(caseFolder: string, number: number, value: ComparisonError): Promise<void> {
  const paths = comparisonPaths(caseFolder, number)
  await writeArtefact(comparisonError, paths.error, value)
  await rm(paths.comparison, { force: true })
}

/** Paths of comparison N of a case, absolute. The analysis of the first has no number. */
export function comparisonPaths(caseFolder: string, number: number) {
  return {
    comparison: path.join(caseFolder, `comparison-${number}.json`),
    error: path.join(caseFolder, `comparison_error-${number}.json`),
    analysis: path.join(caseFolder, number === 1 ? 'analysis.json' : `analysis-${number}.json`),
  }
}

/** P(X ≥ k) for X ~ Binomial(n, ½). */
function upperTail(k: number, n: number): number {
  return k <= 0 ? 1 : betaCdf(0.5, k, n - k + 1)
}

/** The exact sign test of `wins` against `losses`, without ties; two-sided it is McNemar's exact test. */
export function signTest(wins: number, losses: number, sides: 1 | 2): number {
  const n = wins + losses
  if (sides === 1) return upperTail(wins, n)
  return Math.min(1, 2 * upperTail(Math.max(wins, losses), n))
}
