/** Prints the differences between eval reports, or all of them over time. */
import type { EvalDiff, EvalTrend } from '../../../../schemas/eval_diff.ts'
import { jsonText } from '../../../base/json/json_text.ts'
import {
  type EvalDiffSection,
  evalDiffHeadline,
  evalDiffSections,
  evalTrendHeadline,
  evalTrendSections,
} from '../../../phases/4-report/eval/eval_diff.ts'
import { escapeMarkdown, markdownTable } from '../../../phases/4-report/text/markdown.ts'
import { alignColumns, colours, oneLine, toSafeLine } from '../../terminal/style.ts'

export interface HowToShowDiff {
  json: boolean
  markdown: boolean
}

export function showEvalDiff(diff: EvalDiff, how: HowToShowDiff): void {
  show({ value: diff, headline: evalDiffHeadline(diff), sections: evalDiffSections(diff) }, how)
}

export function showEvalTrend(trend: EvalTrend, how: HowToShowDiff): void {
  show({ value: trend, headline: evalTrendHeadline(trend), sections: evalTrendSections(trend) }, how)
}

function show(
  {
    value,
    headline,
    sections,
  }: { value: EvalDiff | EvalTrend; headline: string; sections: readonly EvalDiffSection[] },
  { json, markdown }: HowToShowDiff,
): void {
  if (json) process.stdout.write(`${jsonText(value)}\n`)
  else if (markdown)
    process.stdout.write(`${[escapeMarkdown(headline), ...sections.map(sectionMarkdown)].join('\n\n')}\n`)
  else process.stdout.write(`${sectionLines(headline, sections).join('\n')}\n`)
}

function sectionMarkdown({ title, header, rows }: EvalDiffSection): string {
  return `### ${escapeMarkdown(title)}\n\n${markdownTable(header, rows, 'words')}`
}

function sectionLines(headline: string, sections: readonly EvalDiffSection[]): string[] {
  const { bold, dim } = colours(process.stdout)
  const drawn = sections.flatMap(({ title, header, rows }) => {
    const [first = '', ...rest] = alignColumns([header, ...rows].map((row) => row.map((cell) => oneLine(cell, 60))))
    return ['', bold(title), dim(first), ...rest]
  })
  return [bold(toSafeLine(headline)), ...drawn]
}
