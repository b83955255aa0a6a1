/** Prints how reports of eval differ, or all of them over time. */
import type { EvalDiff, EvalTrend } from '../../schemas/eval_diff.ts'
import {
  evalDiffHeadline,
  evalDiffSections,
  evalTrendHeadline,
  evalTrendSections,
  type Section,
} from '../phases/4-report/eval_diff.ts'
import { table, text } from '../phases/4-report/markdown.ts'
import { colours, columns, oneLine, safe } from './style.ts'

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
  { value, headline, sections }: { value: EvalDiff | EvalTrend; headline: string; sections: readonly Section[] },
  { json, markdown }: HowToShowDiff,
): void {
  if (json) process.stdout.write(`${JSON.stringify(value)}\n`)
  else if (markdown) process.stdout.write(`${[text(headline), ...sections.map(markdownOf)].join('\n\n')}\n`)
  else process.stdout.write(`${linesOf(headline, sections).join('\n')}\n`)
}

function markdownOf({ title, header, rows }: Section): string {
  return `### ${text(title)}\n\n${table(header, rows, 'words')}`
}

function linesOf(headline: string, sections: readonly Section[]): string[] {
  const { bold, dim } = colours(process.stdout)
  const drawn = sections.flatMap(({ title, header, rows }) => {
    const [first = '', ...rest] = columns([header, ...rows].map((row) => row.map((cell) => oneLine(cell, 60))))
    return ['', bold(title), dim(first), ...rest]
  })
  return [bold(safe(headline)), ...drawn]
}
