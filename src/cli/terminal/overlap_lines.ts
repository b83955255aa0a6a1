/** Prints the table of skills whose descriptions are close. */
import type { DescriptionOverlap } from '../../../schemas/overlap.ts'
import { alignColumns, colours, oneLine } from './style.ts'

const most = 20

export function overlapLines(overlaps: readonly DescriptionOverlap[]): string[] {
  const { bold, dim, green } = colours(process.stdout)
  if (overlaps.length === 0) return [green('no two descriptions are close; that does not rule out confusion')]
  const rows = overlaps
    .slice(0, most)
    .map(({ a, b, similarity, words, phrases, delimited }) => [
      similarity.toFixed(2),
      oneLine(`${a} | ${b}`, 60),
      delimited ? 'yes' : '',
      oneLine([...phrases.map((one) => `"${one}"`), ...words].join(', '), 80),
    ])
  const [header = '', ...rest] = alignColumns([['', 'close descriptions', 'one names the other', 'in both'], ...rows])
  const hidden = overlaps.length - rows.length
  return [
    bold(`${overlaps.length} ${overlaps.length === 1 ? 'pair' : 'pairs'} of close descriptions`),
    dim(header),
    ...rest,
    ...(hidden > 0 ? [dim(`… ${hidden} more with --json`)] : []),
    dim('whetstone triggers --all measures who takes whose queries'),
  ]
}
