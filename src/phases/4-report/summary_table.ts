/** The answer of a benchmark in one sentence and one table, plain text, shared by terminal, markdown and page. */

import type { ArmSummary, Benchmark, BenchmarkRun, SummaryStats } from '../../../schemas/benchmark.ts'
import { type Arms, armNames, armSummary, armsOf, isCalibration, meetingOf } from './arms.ts'
import { auditText } from './audit_text.ts'
import { rowsOf } from './case_rows.ts'
import { chosenSentence } from './chosen_text.ts'
import { type Rates, type ToldRates, toldRates } from './rates.ts'
import { scoreCell } from './rubric_table.ts'
import { describe } from './stats/describe.ts'
import { signed } from './stats/round.ts'
import { armLabel, count, dollars, hundredths, percent, plural, seconds } from './words.ts'

/** Rows as long as the header: metric, one column an arm, difference. */
export interface SummaryTable {
  header: string[]
  rows: string[][]
}

/** One sentence: how many points more or fewer of its expectations the agent meets, from how many runs. */
export function headline(benchmark: Benchmark): string {
  const arms = armsOf(benchmark)
  const [candidate, baseline] = [armSummary(benchmark, arms.candidate), armSummary(benchmark, arms.baseline)]
  const from = sample(benchmark)
  if (candidate === null && baseline === null) {
    const planned = benchmark.counts?.planned
    return planned === undefined
      ? 'No result: no run is graded.'
      : `No result: of ${plural(planned, 'planned run')} none is graded.`
  }
  if (candidate === null || baseline === null) {
    const [name, found] = candidate === null ? [arms.baseline, baseline] : [arms.candidate, candidate]
    const rate = `${name}: the agent meets ${percent(found?.pass_rate.mean ?? 0)} of its expectations (${from})`
    return arms.baseline === null ? `${rate}.` : `${rate}. No comparison: the other arm has no graded run.`
  }
  const told = toldRates(pooledRates(candidate, baseline), rowsOf(benchmark), arms)
  const once = told.pooled === null ? '' : ', each case counted once'
  const rates = `${percent(told.candidate)} against ${percent(told.baseline)}`
  const change = changeText(told.candidate - told.baseline)
  switch (meetingOf(arms)) {
    case 'itself':
      return `The baseline against itself: ${rates} of its expectations${once} (${from}).`
    case 'versions':
      return `With the new version the agent meets ${change} with the old one (${rates}${once}; ${from}).`
    case 'skill':
      return `With the skill the agent meets ${change} without it (${rates}${once}; ${from}).`
    case 'names':
      return `${arms.candidate} meets ${change} ${arms.baseline} (${rates}${once}; ${from}).`
  }
}

function pooledRates({ pass_rate: candidate }: ArmSummary, { pass_rate: baseline }: ArmSummary): Rates {
  return { candidate: candidate.mean, baseline: baseline.mean }
}

/** What is told of both arms; null: one has no graded run. */
function ratesOf(benchmark: Benchmark): ToldRates | null {
  const arms = armsOf(benchmark)
  const [candidate, baseline] = [armSummary(benchmark, arms.candidate), armSummary(benchmark, arms.baseline)]
  if (candidate === null || baseline === null) return null
  return toldRates(pooledRates(candidate, baseline), rowsOf(benchmark), arms)
}

/**
 * How sure the difference is: on these cases, then for cases like these; then why the headline may say another number.
 * Empty for one arm and for older benchmarks. Last, what blind comparisons say.
 */
export function sureness(benchmark: Benchmark): string[] {
  const { comparison, audit } = benchmark
  return [
    ...ofScopes(benchmark),
    ...pooledApart(benchmark),
    ...(comparison === undefined ? [] : [comparison.sentence, ...comparison.warnings]),
    ...(audit === undefined ? [] : auditSentences(audit)),
  ]
}

/** The same where nothing beside it says that only some cases were run. */
export function surenessAlone(benchmark: Benchmark): string[] {
  const chosen = chosenSentence(benchmark)
  return [...(chosen === null ? [] : [chosen]), ...sureness(benchmark)]
}

function auditSentences(audit: NonNullable<Benchmark['audit']>): string[] {
  const { lines, banner } = auditText(audit)
  return banner === null ? lines : [...lines, banner]
}

function ofScopes(benchmark: Benchmark): string[] {
  const scopes = benchmark.statistics?.scopes ?? null
  if (scopes !== null && isCalibration(armsOf(benchmark))) return [scopes.these_cases.sentence, later]
  return scopes === null || (scopes.these_cases.difference.mean === null && benchmark.statistics?.until === undefined)
    ? []
    : [scopes.these_cases.sentence, scopes.cases_like_these.sentence, ...indicatorsCounted(benchmark)]
}

/** Why the table below says another difference than the headline. */
function pooledApart(benchmark: Benchmark): string[] {
  const pooled = ratesOf(benchmark)?.pooled ?? null
  if (pooled === null) return []
  const points = signed(hundredths(pooled.candidate - pooled.baseline), 0)
  return [
    `Some cases have more graded runs than others. Pooled over runs, as in the table, the difference is ${points} points: cases with more runs weigh more there.`,
  ]
}

const later = 'Later benchmarks of this suite on this engine, model and judge name this noise.'

/** The pass rates count every statement, as skill-creator's do; the lift leaves the indicators out. */
function indicatorsCounted(benchmark: Benchmark): string[] {
  const { statistics } = benchmark
  const statements = statistics?.expectations ?? []
  const indicators = statements.filter(({ indicator }) => indicator !== null).length
  const lift = statistics?.scopes?.these_cases.difference.mean ?? null
  if (indicators === 0 || lift === null) return []
  const counted = `The pass rates count all ${plural(statements.length, 'statement')}, ${plural(indicators, 'indicator')} too`
  const told = ratesOf(benchmark)
  const all = told === null ? null : hundredths(told.candidate - told.baseline)
  if (all === null || all === hundredths(lift)) return [`${counted}.`]
  const apart = `a difference of ${signed(all, 0)} points there, ${signed(hundredths(lift), 0)} without them`
  return [`${counted}: ${apart}.`]
}

/** Points, because a difference of rates is not a percentage. */
function changeText(difference: number): string {
  const points = hundredths(Math.abs(difference))
  if (difference === 0) return 'as many of its expectations as'
  const way = difference > 0 ? 'more' : 'fewer'
  return `${points === 0 ? 'less than 1 point' : plural(points, 'point')} ${way} of its expectations than`
}

/** "12 + 12 runs, 4 cases". */
function sample(benchmark: Benchmark): string {
  const names = armNames(armsOf(benchmark))
  const runs = names.map((name) => benchmark.runs.filter((run) => run.configuration === name).length)
  const cases = new Set(benchmark.runs.map((run) => run.eval_id)).size
  const total = runs.reduce((sum, one) => sum + one, 0)
  return `${runs.filter((one) => one > 0).join(' + ')} run${total === 1 ? '' : 's'}, ${plural(cases, 'case')}`
}

/** Rows without any known number (tokens that no engine reports) are left out. */
export function summaryTable(benchmark: Benchmark): SummaryTable {
  const arms = armsOf(benchmark)
  const names = armNames(arms)
  const compared = arms.candidate !== null && arms.baseline !== null
  const { delta } = benchmark.run_summary
  const change = (text: string | undefined, unit: string) => (text === undefined ? '–' : `${text}${unit}`)
  const row = (label: string, cell: (name: string) => string | null, difference: string) => {
    const cells = names.map(cell)
    if (cells.every((text) => text === null)) return []
    return [[label, ...cells.map((text) => text ?? '–'), ...(compared ? [difference] : [])]]
  }
  return {
    header: ['', ...names.map(armLabel), ...(compared ? ['difference'] : [])],
    rows: [
      ...row(
        'expectations met',
        statsCell(benchmark, 'pass_rate', percent),
        change(points(benchmark, arms), ' points'),
      ),
      ...row('rubric, of 5', (name) => scoreCell(runsOf(benchmark, name)), ''),
      ...row('time a run', statsCell(benchmark, 'time_seconds', seconds), change(delta?.time_seconds, 's')),
      ...row('tokens a run', statsCell(benchmark, 'tokens', count), change(delta?.tokens, '')),
      ...row('cost a run', (name) => costCell(benchmark, name), ''),
      ...row('skill read', (name) => readCell(benchmark, name), ''),
      ...row('runs graded', (name) => gradedCell(benchmark, name), ''),
    ],
  }
}

/** A cell as "85% ± 5%". */
function statsCell(benchmark: Benchmark, metric: 'pass_rate' | 'time_seconds' | 'tokens', show: (n: number) => string) {
  return (name: string): string | null => {
    const stats: SummaryStats | undefined = armSummary(benchmark, name)?.[metric]
    return stats === undefined ? null : `${show(stats.mean)} ± ${show(stats.stddev)}`
  }
}

function points(benchmark: Benchmark, arms: Arms): string | undefined {
  const [candidate, baseline] = [armSummary(benchmark, arms.candidate), armSummary(benchmark, arms.baseline)]
  if (candidate === null || baseline === null) return undefined
  return signed(hundredths(candidate.pass_rate.mean - baseline.pass_rate.mean), 0)
}

function costCell(benchmark: Benchmark, name: string): string | null {
  const known = describe(runsOf(benchmark, name).flatMap(({ result }) => result.cost_usd ?? []))
  return known === null ? null : dollars(known.mean)
}

function readCell(benchmark: Benchmark, name: string): string | null {
  const known = runsOf(benchmark, name).flatMap(({ result }) => result.skill_read ?? [])
  return known.length === 0 ? null : `${known.filter(Boolean).length} of ${known.length}`
}

function gradedCell(benchmark: Benchmark, name: string): string {
  const graded = runsOf(benchmark, name).length
  if (benchmark.excluded_runs === undefined) return String(graded)
  return `${graded} of ${graded + benchmark.excluded_runs.filter((run) => run.configuration === name).length}`
}

function runsOf(benchmark: Benchmark, name: string): BenchmarkRun[] {
  return benchmark.runs.filter((run) => run.configuration === name)
}
