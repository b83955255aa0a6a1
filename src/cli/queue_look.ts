/** `queue status|drain|resume|retry|cancel`: a look at a queue server, and a hand on it. */
import { lookAfterQueues, type QueueAction, type QueueLook } from '../flows/queue/look.ts'
import type { QueueAddress } from '../jobs/queue/address.ts'
import { openTransport } from '../jobs/queue/open.ts'
import { plural } from '../phases/4-report/words.ts'
import { columns, safe } from './style.ts'

export async function lookAfter(asked: { address: QueueAddress; action: QueueAction; json: boolean }): Promise<void> {
  await using transport = await openTransport(asked.address)
  const look = await lookAfterQueues(asked.action, transport, new Date())
  const lines = asked.json ? [JSON.stringify({ type: 'queue_status', ...look })] : linesOf(look)
  process.stdout.write(`${lines.join('\n')}\n`)
}

function linesOf({ place, queues, workers, did }: QueueLook): string[] {
  const rows = queues.map(({ queue, needs, counts }) => [
    queue,
    [needs.engine, ...needs.tags].join(','),
    ...[counts.waiting, counts.active, counts.done, counts.failed].map(String),
    counts.limit === null ? '-' : String(counts.limit),
    counts.isDrained ? 'drained' : '',
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
    ...(did === null ? [] : [did]),
    safe(`${place}: ${plural(queues.length, 'queue')}, ${plural(workers.length, 'worker')}`),
    ...(rows.length === 0
      ? []
      : columns([['queue', 'needs', 'waiting', 'active', 'done', 'failed', 'limit', ''], ...rows], [2, 3, 4, 5, 6])),
    ...(people.length === 0
      ? []
      : columns([['worker', 'engines', 'tags', 'busy', 'done', 'heard'], ...people], [3, 4, 5])),
  ].map(safe)
}
