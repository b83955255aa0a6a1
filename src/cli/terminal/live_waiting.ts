/** Formats what everything waits for, and until when. */
import type { FlowEvent } from '../../../schemas/flow_event.ts'
import { oneLine } from './style.ts'

export function waitingText({ why, works, until, gives_up_at }: Extract<FlowEvent, { type: 'waiting' }>): string {
  const who = works === 1 ? '1 run or judge waits' : `all ${works} runs and judges wait`
  const when = until === null ? '' : `, until ${until}`
  const end = gives_up_at === null ? '' : `; without progress it ends at ${gives_up_at} (--max-wait)`
  return oneLine(`${who}: ${why}${when}${end}`, 500)
}
