/** Formats lines about a running comparison. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { oneLine } from './style.ts'

const mostSkipped = 5

export function comparisonPlannedText(event: Extract<FlowEvent, { type: 'comparison_planned' }>): string {
  const { a, b, judge, pairs, done, skipped, choices } = event
  const more = skipped.length - mostSkipped
  return [
    ...choices,
    `${a} against ${b} · judge ${judge} · ${formatPlural(pairs, 'pair')}, each in both orders${done > 0 ? ` · ${done} judged already` : ''}`,
    ...skipped
      .slice(0, mostSkipped)
      .map((one) => `left out ${one.eval_id} ${one.eval_name} · ${one.number}: ${one.reason}`),
    ...(more > 0 ? [`… ${more} more left out`] : []),
  ]
    .map((line) => oneLine(line, 500))
    .join('\n')
}

export function pairJudgedText(event: Extract<FlowEvent, { type: 'pair_judged' }>): string | null {
  const { eval_id, eval_name, number, winner, flips, error, cached } = event
  if (cached) return null
  const pair = `${eval_id} ${oneLine(eval_name, 40)} · ${number}`
  if (winner === null) return oneLine(`judge error ${pair}: ${error}`, 500)
  return oneLine(`compared ${pair}: ${winner}${flips > 0 ? ' (the verdict changed with the order)' : ''}`, 500)
}

export function comparisonAnalyzedText(event: Extract<FlowEvent, { type: 'comparison_analyzed' }>): string | null {
  const { eval_id, eval_name, number, error, cached } = event
  if (cached) return null
  const pair = `${eval_id} ${oneLine(eval_name, 40)} · ${number}`
  return oneLine(error === null ? `analyzed ${pair}` : `no analysis of ${pair}: ${error}`, 500)
}
