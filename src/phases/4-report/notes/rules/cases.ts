/** Notes on cases that are significantly worse with the candidate. */
import { describeCandidate } from '../../benchmark/arms.ts'
import { formatPercent, formatProbability, shortenText } from '../../text/format.ts'
import type { NoteParts } from './note_parts.ts'

const mostNamed = 3

/** One note; the p-values are adjusted for the number of cases. */
export function caseNotes({ cases, arms, statistics }: NoteParts): string[] {
  const { comparisons = [], alpha = 0.05 } = statistics ?? {}
  const worse = comparisons.flatMap(({ eval_id, p_adjusted: p }) => {
    const row = cases.find((one) => one.eval_id === eval_id)
    if (row === undefined || row.delta === null || row.delta >= 0 || p > alpha) return []
    const rate = (name: string | null) => formatPercent(row.arms[name ?? '']?.pass_rate?.mean ?? 0)
    const size = `${rate(arms.candidate)} vs ${rate(arms.baseline)}, adjusted p ${p < 0.001 ? '' : '= '}${formatProbability(p)}`
    return `case ${eval_id} (${shortenText(row.eval_name, 60)}: ${size})`
  })
  if (worse.length === 0) return []
  const more = worse.length > mostNamed ? ` and ${worse.length - mostNamed} more` : ''
  return [
    `Significantly worse ${describeCandidate(arms)}: ${worse.slice(0, mostNamed).join(', ')}${more}. Compare their transcripts.`,
  ]
}
