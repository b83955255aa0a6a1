/** A diff in words: its lines for a terminal, and the same as Markdown. */
import type { BenchmarkDiff, CaseChange } from '../../../../schemas/benchmark_diff.ts'
import type { Verdict } from '../../../../schemas/benchmark_statistics.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import { missingGradesSentence } from '../stats/scopes/missing_grades.ts'
import { hasTooFewRuns } from '../stats/scopes/verdict_sentences.ts'
import {
  formatDifference,
  formatInterval,
  formatPercent,
  formatPlural,
  formatPointRange,
  formatRates,
  pText,
} from '../text/format.ts'

/** A heading and its rows; a row is a list of cells. */
export interface DiffSection {
  title: string
  header: string[]
  rows: string[][]
}

const verdicts: Record<Verdict, string> = {
  helps: 'Better',
  hurts: 'Worse',
  too_easy: 'Too easy',
  too_hard: 'Too hard',
  no_difference: 'No difference',
  inconclusive: 'Inconclusive',
  not_comparable: 'Not comparable',
  incomplete: 'Incomplete',
}

/** One sentence for these cases, one for similar cases. */
export function diffHeadline({
  scopes,
  missing_grades: missing,
  alpha = 0.05,
}: BenchmarkDiff & { alpha?: number }): string {
  if (missing) return missingGradesSentence(missing, ['after', 'before'])
  const own = scopes?.these_cases
  if (!own || own.difference.mean === null) return 'Not comparable: no case has graded runs in both.'
  const { candidate_mean: after, baseline_mean: before, p_value, n_cases } = own.difference
  const shown = after === undefined || before === undefined ? null : formatRates(after, before)
  const rates = shown === null ? '' : `pass rate ${shown.candidate} after, ${shown.baseline} before: `
  const points = `${formatDifference(own.difference)} points`
  const interval = formatInterval(own.difference, alpha)
  const isSmall = hasTooFewRuns(own.rule)
  const p = p_value === null || isSmall ? '' : `, ${pText(p_value)}`
  const why = isSmall ? ` ${own.rule.slice(0, 1).toUpperCase()}${own.rule.slice(1)}.` : ''
  const like = verdicts[scopes?.cases_like_these.verdict ?? 'inconclusive'].toLowerCase()
  return `${verdicts[own.verdict]}: ${rates}${[points, interval].filter(Boolean).join(', ')}${p} (${formatPlural(n_cases, 'case')}).${why} Similar cases: ${like}.`
}

/** Differences between the plans come first, because they may explain the rest. Empty sections are omitted. */
export function diffSections(diff: BenchmarkDiff): DiffSection[] {
  const said = (value: string | null) => (value === null ? '?' : makeVisible(value))
  const plan = {
    title: 'Differences in setup',
    header: ['', 'before', 'after'],
    rows: diff.plan.map(({ what, before, after }) => [what, said(before), said(after)]),
  }
  const changes: [CaseChange['change'], string][] = [
    ['regressed', 'Regressed'],
    ['improved', 'Improved'],
    ['within_chance', 'Changed, not significantly'],
    ['appeared', 'Appeared'],
    ['vanished', 'Vanished'],
  ]
  const cases = changes.map(([change, title]) => ({
    title,
    header: ['case', 'before', 'after', 'points', 'adjusted'],
    rows: diff.cases.filter((one) => one.change === change).map(caseCells),
  }))
  const rates = ({ passed, total }: { passed: number; total: number }) => `${passed} of ${total}`
  const turned = {
    title: 'Expectations with a significant change',
    header: ['case', 'expectation', 'before', 'after', 'adjusted'],
    rows: diff.turned.map((one) => [
      ...[makeVisible(one.case), makeVisible(one.text), rates(one.before), rates(one.after)],
      pText(one.p_adjusted ?? null),
    ]),
  }
  return [plan, ...cases, turned].filter(({ rows }) => rows.length > 0)
}

/** The interval is for this case alone; the class of the change depends on p, adjusted for the number of cases. */
function caseCells({ name, before, after, ci_low, ci_high, p_adjusted }: CaseChange): string[] {
  const p = p_adjusted === null ? '' : pText(p_adjusted)
  const rate = (value: number | null) => (value === null ? '–' : formatPercent(value))
  if (before === null || after === null) return [makeVisible(name), rate(before), rate(after), '', p]
  const shown = formatRates(after, before)
  const interval = ci_low === null || ci_high === null ? '' : ` ${formatPointRange(ci_low, ci_high)}`
  return [makeVisible(name), shown.baseline, shown.candidate, `${shown.difference}${interval}`, p]
}
