/** Lines about blind comparisons: what is planned, and each verdict and analysis. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { oneLine, shortLines } from './style.ts'

type EventOf<T extends FlowEvent['type']> = Extract<FlowEvent, { type: T }>

const mostSkipped = 5

/** Which pairs are judged, and which are left out. */
export function comparisonPlannedText(event: EventOf<'comparison_planned'>): string {
  const { a, b, judge, pairs, done, skipped, choices } = event
  const more = skipped.length - mostSkipped
  return shortLines([
    ...choices,
    `${a} against ${b} · judge ${judge} · ${formatPlural(pairs, 'pair')}, each in both orders${done > 0 ? ` · ${done} judged already` : ''}`,
    ...skipped
      .slice(0, mostSkipped)
      .map((one) => `left out ${one.eval_id} ${one.eval_name} · ${one.number}: ${one.reason}`),
    ...(more > 0 ? [`… ${more} more left out`] : []),
  ])
}

/** null: nothing is printed, as of a verdict from the cache. */
export function pairJudgedText(event: EventOf<'pair_judged'>): string | null {
  const { eval_id, eval_name, number, winner, flips, error, cached } = event
  if (cached) return null
  const pair = `${eval_id} ${oneLine(eval_name, 40)} · ${number}`
  if (winner === null) return oneLine(`judge error ${pair}: ${error}`, 500)
  return oneLine(`compared ${pair}: ${winner}${flips > 0 ? ' (the verdict changed with the order)' : ''}`, 500)
}

/** null: nothing is printed. */
export function comparisonAnalyzedText(event: EventOf<'comparison_analyzed'>): string | null {
  const { eval_id, eval_name, number, error, cached } = event
  if (cached) return null
  const pair = `${eval_id} ${oneLine(eval_name, 40)} · ${number}`
  return oneLine(error === null ? `analyzed ${pair}` : `no analysis of ${pair}: ${error}`, 500)
}
