/** `queue status|drain|resume|retry|cancel`: a look at a queue server, and a hand on it. */
import { lookAfterQueues, type QueueAction, type QueueLook } from '../flows/queue/look.ts'
import type { QueueAddress } from '../jobs/queue/address.ts'
import { openTransport } from '../jobs/queue/open.ts'
import { usualTiming } from '../jobs/queue/transport.ts'
import { plural } from '../phases/4-report/words.ts'
import { shortWait } from './commands/queue_flags.ts'
import { patienceOf } from './queue_wait.ts'
import { columns, safe } from './style.ts'

interface LookAsked {
  address: QueueAddress
  action: QueueAction
  json: boolean
  /** Seconds. */
  queueWait?: number | undefined
}

export async function lookAfter(asked: LookAsked, signal: AbortSignal): Promise<void> {
  const { address, queueWait = shortWait } = asked
  const patience = patienceOf(address, queueWait * 1000, signal)
  await using transport = await openTransport(address, usualTiming, patience)
  const look = await lookAfterQueues(asked.action, transport, new Date())
  const lines = asked.json ? [JSON.stringify({ type: 'queue_status', ...look })] : linesOf(look)
  process.stdout.write(`${lines.join('\n')}\n`)
}

function linesOf({ place, queues, workers, isDrained, did }: QueueLook): string[] {
  const rows = queues.map(({ queue, needs, counts, isUntaken }) => [
    queue,
    [needs.engine, ...needs.tags].join(','),
    ...[counts.waiting, counts.active, counts.done, counts.failed].map(String),
    counts.limit === null ? '-' : String(counts.limit),
    [...(counts.isDrained ? ['drained'] : []), ...(isUntaken ? ['no worker'] : [])].join(', '),
  ])
  const people = workers.map((one) => [
    one.worker,
    one.engines.join(','),
    one.tags.join(',') || '-',
    `${one.busy}/${one.places}`,
    String(one.done),
    `${Math.round(one.silent_ms / 1000)} s ago`,
  ])
  return [
    ...(did === null ? (isDrained ? ['drained: workers take nothing new until queue resume'] : []) : [did]),
    safe(`${place}: ${plural(queues.length, 'queue')}, ${plural(workers.length, 'worker')}`),
    ...(rows.length === 0
      ? []
      : columns([['queue', 'needs', 'waiting', 'active', 'done', 'failed', 'limit', ''], ...rows], [2, 3, 4, 5, 6])),
    ...(people.length === 0
      ? []
      : columns([['worker', 'engines', 'tags', 'busy', 'done', 'heard'], ...people], [3, 4, 5])),
  ].map(safe)
}
