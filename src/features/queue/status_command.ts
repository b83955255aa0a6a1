/** `queue status|drain|resume|retry|cancel`: shows and manages a queue server. */
import { jsonText } from '../../base/json/json_text.ts'
import { awaitedServerText } from '../../cli/terminal/live.ts'
import { alignColumns, toSafeLine } from '../../cli/terminal/style.ts'
import { formatPlural } from '../../phases/4-report/text/format.ts'
import { shortWait } from './flags.ts'
import { manageQueues, type QueueAction, type QueueStatus } from './queue_status.ts'
import type { QueueAddress } from './server/address.ts'
import type { WaitPolicy } from './server/first_contact.ts'
import { openTransport } from './server/open.ts'
import { usualTiming } from './server/transport.ts'

interface QueueActionRequest {
  address: QueueAddress
  action: QueueAction
  json: boolean
  /** Seconds. */
  queueWait?: number | undefined
}

export async function runQueueAction(asked: QueueActionRequest, signal: AbortSignal): Promise<void> {
  const { address, queueWait = shortWait } = asked
  const patience = createWaitPolicy(address, queueWait * 1000, signal)
  await using transport = await openTransport(address, usualTiming, patience)
  const look = await manageQueues(asked.action, transport, new Date())
  const lines = asked.json ? [jsonText({ type: 'queue_status', ...look })] : queueStatusLines(look)
  process.stdout.write(`${lines.join('\n')}\n`)
}

function queueStatusLines({ place, queues, workers, isDrained, did }: QueueStatus): string[] {
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
    toSafeLine(`${place}: ${formatPlural(queues.length, 'queue')}, ${formatPlural(workers.length, 'worker')}`),
    ...(rows.length === 0
      ? []
      : alignColumns(
          [['queue', 'needs', 'waiting', 'active', 'done', 'failed', 'limit', ''], ...rows],
          [2, 3, 4, 5, 6],
        )),
    ...(people.length === 0
      ? []
      : alignColumns([['worker', 'engines', 'tags', 'busy', 'done', 'heard'], ...people], [3, 4, 5])),
  ].map(toSafeLine)
}

export function createWaitPolicy({ place }: { place: string }, waitMs: number, signal: AbortSignal): WaitPolicy {
  const waits = (message: string) =>
    void process.stderr.write(`${awaitedServerText({ place, message, wait_ms: waitMs })}; Ctrl-C ends it\n`)
  return { waitMs, waits, signal }
}
