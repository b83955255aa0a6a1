/** `benchmark.md`: the benchmark to read in a terminal, an editor or a pull request. */
import type { Benchmark, CaseRow } from '../../../schemas/benchmark.ts'
import { armNames, armsOf } from './arms.ts'
import { rowsOf } from './case_rows.ts'
import { chosenSentence } from './chosen_text.ts'
import { factsOf } from './facts.ts'
import { incompleteness } from './incomplete.ts'
import { rubricTable } from './rubric_table.ts'
import { signed } from './stats/round.ts'
import { headline, summaryTable, sureness } from './summary_table.ts'
import { template } from './templates.ts'
import { armLabel, percent, visible } from './words.ts'

interface View {
  skill: string
  headline: string
  sureness: string | null
  incomplete: string | null
  chosen: string | null
  summary: string
  cases: string | null
  rubric: string | null
  notes: string[]
  excluded: string | null
  facts: { name: string; value: string }[]
}

const fill = template<View>('benchmark.md.hbs', 'text')

/** Everything from outside is escaped: it can make no table row, link, image or HTML tag. */
export function toMarkdown(benchmark: Benchmark): string {
  const { header, rows } = summaryTable(benchmark)
  const { excluded_runs = [] } = benchmark
  const cases = rowsOf(benchmark)
  const rubric = rubricTable(benchmark)
  return fill({
    skill: text(benchmark.metadata.skill_name),
    headline: text(headline(benchmark)),
    sureness: nullable(sureness(benchmark).join(' ') || null),
    incomplete: nullable(incompleteness(benchmark)),
    chosen: nullable(chosenSentence(benchmark)),
    summary: table(header, rows, 'numbers'),
    cases: cases.length > 0 ? caseTable(benchmark, cases) : null,
    rubric: rubric && table(rubric.header, rubric.rows, 'numbers'),
    notes: benchmark.notes.map(listItem),
    excluded:
      excluded_runs.length > 0
        ? table(
            ['case', 'configuration', 'run', 'why', 'message'],
            excluded_runs.map((run) => [
              `${run.eval_id} ${run.eval_name}`,
              armLabel(run.configuration),
              String(run.run_number),
              run.kind === null ? run.reason : `${run.reason}: ${run.kind}`,
              run.message,
            ]),
            'words',
          )
        : null,
    facts: factsOf(benchmark).map(({ name, value }) => ({ name: text(name), value: text(value) })),
  })
}

function caseTable(benchmark: Benchmark, cases: readonly CaseRow[]): string {
  const names = armNames(armsOf(benchmark))
  const header = ['case', ...names.map(armLabel), ...(names.length > 1 ? ['difference'] : [])]
  const rows = cases.map((row) => [
    `${row.eval_id} ${row.eval_name}`,
    ...names.map((name) => rateCell(row, name)),
    ...(names.length > 1 ? [row.delta === null ? '–' : signed(row.delta, 2)] : []),
  ])
  return table(header, rows, 'numbers')
}

function rateCell(row: CaseRow, name: string): string {
  const arm = row.arms[name]
  if (!arm?.pass_rate) return '–'
  return `${percent(arm.pass_rate.mean)} ± ${percent(arm.pass_rate.stddev)} (n ${arm.runs})`
}

/** The first column is to the left, the others to the right unless all are words. */
export function table(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  align: 'numbers' | 'words',
): string {
  const line = (cells: readonly string[]) => `| ${cells.map(text).join(' | ')} |`
  const rule = header.map((_, index) => (index === 0 || align === 'words' ? '---' : '---:'))
  return [line(header), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n')
}

function nullable(value: string | null): string | null {
  return value === null ? null : text(value)
}

/** One line in which no character has a meaning for Markdown or HTML, and no @ calls a person. */
export function text(value: string): string {
  return visible(value)
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/[\\`*[\]|~]|(?<!\w)_|_(?!\w)/g, '\\$&')
    .replaceAll(/@(?=\w)/g, '@\u200B')
}

/** The same at the start of a line, where a list or a heading could begin. */
function listItem(value: string): string {
  return text(value).replace(/^(?:[-+](?=\s|$)|#)|(?<=^\d+)[.)](?=\s|$)/, '\\$&')
}
