/** `report.html`: one plain page that needs nothing else: no script, no request, safe with any text inside. */
import { createHash } from 'node:crypto'
import type { Benchmark } from '../../../schemas/benchmark.ts'
import { armNames, armsOf } from './arms.ts'
import { type CaseView, caseViews, type Prompts } from './case_view.ts'
import { factsOf } from './facts.ts'
import { incompleteness } from './incomplete.ts'
import { headline, summaryTable, sureness } from './summary_table.ts'
import { asset, template } from './templates.ts'
import { armLabel, visible } from './words.ts'

interface View {
  css: string
  styleHash: string
  skill: string
  headline: string
  sureness: string[]
  incomplete: string | null
  legend: { place: string; label: string }[]
  header: string[]
  rows: { label: string; cells: { column: string; value: string }[] }[]
  cases: CaseView[]
  notes: string[]
  excluded: { name: string; run: string; why: string; message: string }[]
  facts: { name: string; value: string }[]
}

const css = asset('report.css')
const styleHash = createHash('sha256').update(css).digest('base64')
const fill = template<View>('report.html.hbs', 'html')

/** The whole page. With the plan it also shows each case's prompt. */
export function toHtml(benchmark: Benchmark, plan: Prompts | null = null): string {
  const arms = armsOf(benchmark)
  const { header, rows } = summaryTable(benchmark)
  return fill({
    css,
    styleHash,
    skill: visible(benchmark.metadata.skill_name),
    headline: visible(headline(benchmark)),
    sureness: sureness(benchmark).map(visible),
    incomplete: incompleteness(benchmark),
    legend: armNames(arms).map((name) => ({ place: placeOf(name, arms.candidate), label: visible(armLabel(name)) })),
    header: header.map(visible),
    rows: rows.map(([label = '', ...cells]) => ({
      label,
      cells: cells.map((value, index) => ({ column: visible(header[index + 1] ?? ''), value: visible(value) })),
    })),
    cases: caseViews(benchmark, plan),
    notes: benchmark.notes.map(visible),
    excluded: (benchmark.excluded_runs ?? []).map((run) => ({
      name: visible(`${run.eval_id} ${run.eval_name}`),
      run: `${armLabel(run.configuration)}, run ${run.run_number}`,
      why: run.kind === null ? run.reason.replaceAll('_', ' ') : `${run.reason}: ${visible(run.kind)}`,
      message: visible(run.message),
    })),
    facts: factsOf(benchmark).map(({ name, value }) => ({ name, value: visible(value) })),
  })
}

function placeOf(name: string, candidate: string | null): string {
  return name === candidate ? 'candidate' : 'baseline'
}
