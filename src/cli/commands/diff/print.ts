/** Formats a diff for a terminal. */
import type { BenchmarkDiff } from '../../../../schemas/benchmark_diff.ts'
import { diffHeadline, diffSections } from '../../../phases/4-report/diff/diff_text.ts'
import { alignColumns, colours, oneLine, toSafeLine } from '../../terminal/style.ts'

export function diffLines(diff: BenchmarkDiff): string[] {
  const { bold, dim } = colours(process.stdout)
  const of = ({ name, configuration, timestamp }: BenchmarkDiff['before']) =>
    toSafeLine(`${name} (${configuration}, ${timestamp})`)
  const sections = diffSections(diff).flatMap(({ title, header, rows }) => {
    const cells = [header, ...rows].map((row) => row.map((cell) => oneLine(cell, 70)))
    const [first = '', ...rest] = alignColumns(cells)
    return ['', bold(title), dim(first), ...rest]
  })
  const same = diff.cases.filter(({ change }) => change === 'same').length
  return [
    `${dim('before')} ${of(diff.before)}`,
    `${dim('after ')} ${of(diff.after)}`,
    '',
    bold(diffHeadline(diff)),
    ...sections,
    ...(same === 0 ? [] : ['', dim(`${same} with the same rate in both`)]),
  ]
}
