/** Writes `benchmark.md`, to read in a terminal, an editor or a pull request. */
import type { Benchmark, CaseRow } from '../../../../schemas/benchmark.ts'
import { makeVisible } from '../../../base/text/show_control_characters.ts'
import { armNames, findArms } from '../benchmark/arms.ts'
import { readCaseRows } from '../benchmark/case_rows.ts'
import { listChangedStatements } from '../benchmark/changed_statements.ts'
import { incompleteness } from '../benchmark/incomplete.ts'
import { listBenchmarkFacts } from '../benchmark/provenance.ts'
import { rubricTable } from '../benchmark/rubric_table.ts'
import { suspiciousLine } from '../judge/suspicious_runs.ts'
import { formatFixed } from '../stats/numbers/round.ts'
import { skillsReadTable } from '../stats/scores/skills_read.ts'
import { compileTemplate } from '../templates/templates.ts'
import { formatConfiguration, formatPercent, formatRates } from './format.ts'
import { benchmarkHeadline, confidenceNotes, designNotes } from './headline.ts'
import { coverageSentences } from './selected_cases.ts'
import { type SummaryTable, summaryHint, summaryTable } from './summary_table.ts'

interface View {
  skill: string
  headline: string
  suspicious: string | null
  sureness: string | null
  incomplete: string | null
  coverage: string | null
  summary: string
  summaryHint: string
  cases: string | null
  changed: { title: string; table: string } | null
  rubric: string | null
  scores: string | null
  skillsRead: string | null
  notes: string[]
  excluded: string | null
  facts: { name: string; value: string }[]
}

const fill = compileTemplate<View>('benchmark.md.hbs', 'text')

/** All outside text is escaped: it can't create a table row, link, image or HTML tag. */
export function toMarkdown(benchmark: Benchmark): string {
  const { header, rows } = summaryTable(benchmark)
  const { excluded_runs = [] } = benchmark
  const cases = readCaseRows(benchmark)
  const rubric = rubricTable(benchmark)
  const scores = scoreTable(benchmark)
  const read = skillsReadTable(benchmark)
  return fill({
    skill: escapeMarkdown(benchmark.metadata.skill_name),
    headline: escapeMarkdown(benchmarkHeadline(benchmark)),
    suspicious: nullable(suspiciousLine(benchmark)),
    sureness: nullable([...confidenceNotes(benchmark), ...designNotes(benchmark)].join(' ') || null),
    incomplete: nullable(incompleteness(benchmark)),
    coverage: nullable(coverageSentences(benchmark).join(' ') || null),
    summary: markdownTable(header, rows, 'numbers'),
    summaryHint: summaryHint(benchmark),
    cases: cases.length > 0 ? caseTable(benchmark, cases) : null,
    changed: changeTable(benchmark),
    rubric: rubric && markdownTable(rubric.header, rubric.rows, 'numbers'),
    scores: scores && markdownTable(scores.header, scores.rows, 'words'),
    skillsRead: read && markdownTable(read.header, read.rows, 'words'),
    notes: benchmark.notes.map(escapeListItem),
    excluded:
      excluded_runs.length > 0
        ? markdownTable(
            ['case', 'configuration', 'run', 'why', 'message'],
            excluded_runs.map((run) => [
              `${run.eval_id} ${run.eval_name}`,
              formatConfiguration(run.configuration),
              String(run.run_number),
              run.kind === null ? run.reason : `${run.reason}: ${run.kind}`,
              run.message,
            ]),
            'words',
          )
        : null,
    facts: listBenchmarkFacts(benchmark).map(({ name, value }) => ({
      name: escapeMarkdown(name),
      value: escapeMarkdown(value),
    })),
  })
}

function caseTable(benchmark: Benchmark, cases: readonly CaseRow[]): string {
  const names = armNames(findArms(benchmark))
  const hasOwners = cases.some(({ owners }) => owners !== undefined)
  const header = [
    'case',
    ...names.map(formatConfiguration),
    ...(names.length > 1 ? ['difference'] : []),
    ...(hasOwners ? ['owners'] : []),
  ]
  const rows = cases.map((row) => {
    const cells = names.map((name) => rateCell(row.arms[name]))
    const [own, other] = names.map((name) => row.arms[name]?.pass_rate?.mean)
    const isCompared = own !== undefined && other !== undefined
    const difference = isCompared ? `${formatRates(own, other).difference} points` : '–'
    return [
      `${row.eval_id} ${row.eval_name}${row.quarantine === undefined ? '' : ' (quarantined)'}`,
      ...cells,
      ...(names.length > 1 ? [difference] : []),
      ...(hasOwners ? [row.owners?.join(', ') ?? ''] : []),
    ]
  })
  return markdownTable(header, rows, 'numbers', ['owners'])
}

/** null: nothing occurs in several cases. */
function changeTable(benchmark: Benchmark): View['changed'] {
  const { changed } = listChangedStatements(benchmark)
  if (changed === undefined) return null
  const rows = changed.rows.map(({ kind, text, cases, shown }) => [
    kind === 'test' ? `${text} (test)` : text,
    String(cases.length),
    shown.candidate,
    shown.baseline,
    `${shown.difference} points`,
  ])
  const names = armNames(findArms(benchmark)).map(formatConfiguration)
  const table = markdownTable(['in several cases', 'cases', ...names, 'difference'], rows, 'numbers')
  return { title: escapeMarkdown(changed.title), table }
}

function rateCell(arm: CaseRow['arms'][string] | undefined): string {
  if (!arm?.pass_rate) return '–'
  const { mean, stddev } = arm.pass_rate
  return `${formatPercent(mean)} ± ${formatPercent(stddev)} (n ${arm.runs})`
}

/** The first column and `words` are left-aligned, the others right-aligned unless all are words. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  align: 'numbers' | 'words',
  words: readonly string[] = [],
): string {
  const line = (cells: readonly string[]) => `| ${cells.map(escapeMarkdown).join(' | ')} |`
  const rule = header.map((name, index) => (index === 0 || align === 'words' || words.includes(name) ? '---' : '---:'))
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

/** A page of tables, each below its heading. */
export function markdownSections(
  title: string,
  { notes = [], sections }: { notes?: readonly string[]; sections: readonly (SummaryTable & { title: string })[] },
): string {
  const tables = sections.map((one) => `## ${one.title}\n\n${markdownTable(one.header, one.rows, 'words')}`)
  return `${[`# ${escapeMarkdown(title)}`, ...notes.map(escapeMarkdown), ...tables].join('\n\n')}\n`
}

function nullable(value: string | null): string | null {
  return value === null ? null : escapeMarkdown(value)
}

/** One line without characters that have a meaning in Markdown or HTML, and without an @ that mentions a person. */
export function escapeMarkdown(value: string): string {
  return makeVisible(value)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*[\]|~]|(?<!\w)_|_(?!\w)/g, '\\$&')
    .replaceAll(/@(?=\w)/g, '@\u200B')
}

/** The same for the start of a line, where a list or a heading could begin. */
function escapeListItem(value: string): string {
  return escapeMarkdown(value).replace(/^(?:[-+](?=\s|$)|#)|(?<=^\d+)[.)](?=\s|$)/, '\\$&')
}

/** null: no verdict has a score of its own. */
function scoreTable(benchmark: Benchmark): { header: string[]; rows: string[][] } | null {
  const scored = (benchmark.statistics?.expectations ?? []).filter(
    ({ candidate, baseline }) => candidate.score !== undefined || baseline.score !== undefined,
  )
  if (scored.length === 0) return null
  const names = new Map(benchmark.runs.map(({ eval_id, eval_name }) => [eval_id, eval_name]))
  const arms = findArms(benchmark)
  return {
    header: ['case', 'statement', ...armNames(arms).map(formatConfiguration)],
    rows: scored.map(({ eval_id, text, diagnostic, candidate, baseline }) => [
      `${eval_id} ${names.get(eval_id) ?? ''}`,
      diagnostic === true ? `${text} (diagnostic)` : text,
      ...(arms.candidate === null ? [] : [formatScore(candidate.score)]),
      ...(arms.baseline === null ? [] : [formatScore(baseline.score)]),
    ]),
  }
}

function formatScore(score: number | undefined): string {
  return score === undefined ? '–' : formatFixed(score, 2)
}
