/** A diff in words: its lines, for a terminal, and the same as Markdown. */
import type { BenchmarkDiff, CaseChange } from '../../../schemas/benchmark_diff.ts'
import { signed } from './stats/round.ts'
import { hundredths, percent, plural, pText, visible } from './words.ts'

/** A heading and the rows below it; rows are cells. */
export interface DiffSection {
  title: string
  header: string[]
  rows: string[][]
}

const verdicts = { helps: 'better', hurts: 'worse', no_difference: 'no difference', inconclusive: 'not decided' }

/** One sentence with both scopes. */
export function diffHeadline({ scopes }: BenchmarkDiff): string {
  const own = scopes?.these_cases
  if (!own || own.difference.mean === null) return 'No comparison: no case has runs in both.'
  const { mean, ci_low, ci_high, p_value, n_cases } = own.difference
  const points = (rate: number) => signed(hundredths(rate), 0)
  const interval = ci_low === null || ci_high === null ? '' : ` [${points(ci_low)}, ${points(ci_high)}]`
  const p = p_value === null ? '' : `, ${pText(p_value)}`
  const like = scopes?.cases_like_these.verdict ?? 'inconclusive'
  return (
    `${points(mean)} points of its expectations${interval} on ${plural(n_cases, 'case')}${p}: ${verdicts[own.verdict]}.` +
    ` For cases like these: ${verdicts[like]}.`
  )
}

/** What differs in the plans first: it may be the reason for all that follows. Empty sections are left out. */
export function diffSections(diff: BenchmarkDiff): DiffSection[] {
  const said = (value: string | null) => (value === null ? '?' : visible(value))
  const plan = {
    title: 'Not the same in both',
    header: ['', 'before', 'after'],
    rows: diff.plan.map(({ what, before, after }) => [what, said(before), said(after)]),
  }
  const changes: [CaseChange['change'], string][] = [
    ['regressed', 'Regressed'],
    ['improved', 'Improved'],
    ['within_chance', 'Changed, but no more than chance may do'],
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
    title: 'Expectations that turned',
    header: ['case', 'expectation', 'before', 'after'],
    rows: diff.turned.map((one) => [visible(one.case), visible(one.text), rates(one.before), rates(one.after)]),
  }
  return [plan, ...cases, turned].filter(({ rows }) => rows.length > 0)
}

/** The interval is of the case alone; what it counts as goes by p, adjusted for the number of cases. */
function caseCells({ name, before, after, difference, ci_low, ci_high, p_adjusted }: CaseChange): string[] {
  const rate = (value: number | null) => (value === null ? '–' : percent(value))
  const points = (value: number) => signed(hundredths(value), 0)
  const interval = ci_low === null || ci_high === null ? '' : ` [${points(ci_low)}, ${points(ci_high)}]`
  const change = difference === null ? '' : `${points(difference)}${interval}`
  return [visible(name), rate(before), rate(after), change, p_adjusted === null ? '' : pText(p_adjusted)]
}

/** The whole diff as Markdown; what comes from outside makes no markup. */
export function diffMarkdown(diff: BenchmarkDiff): string {
  const plain = (text: string) => text.replaceAll(/[\\`*_{}[\]<>#|!~]/g, (sign) => `\\${sign}`).replaceAll(/\s+/g, ' ')
  const row = (cells: readonly string[]) => `| ${cells.map(plain).join(' | ')} |`
  const sections = diffSections(diff).map(({ title, header, rows }) =>
    [`## ${title}`, '', row(header), `|${' --- |'.repeat(header.length)}`, ...rows.map(row)].join('\n'),
  )
  const names = `${plain(visible(diff.before.name))} → ${plain(visible(diff.after.name))}`
  return [`# ${names}`, plain(diffHeadline(diff)), ...sections].join('\n\n').concat('\n')
}
