/** Shows and manages the queues of a server. */
import { randomBytes } from 'node:crypto'
import { type QueueNeeds, type QueueNote, queueNote, type WorkerNote } from '../../../schemas/queue_job.ts'
import { cancelNoteId, endNoteId } from './liveness.ts'
import type { QueueCounts, Transport } from './server/transport.ts'

export type QueueAction = 'status' | 'drain' | 'resume' | 'retry' | 'cancel'

export interface QueueStatus {
  place: string
  /** `isUntaken`: jobs wait in it that no live worker takes. */
  queues: { queue: string; needs: QueueNeeds; counts: QueueCounts; isUntaken: boolean }[]
  /** `silent_ms`: since the worker's last heartbeat, by this machine's clock. */
  workers: (WorkerNote & { silent_ms: number })[]
  /** Workers take nothing new, also from queues created later. */
  isDrained: boolean
  /** One line on what was done; null: only the status was read. */
  did: string | null
}

export async function readQueueNotes(transport: Transport): Promise<QueueNote[]> {
  return (await transport.notes()).flatMap(({ value }) => {
    const read = queueNote.safeParse(value)
    return read.success ? [read.data] : []
  })
}

/** Applies the action to every queue on the server, then reads the status. */
export async function manageQueues(action: QueueAction, transport: Transport, now: Date): Promise<QueueStatus> {
  await markDrained(action, transport, now)
  const notes = await readQueueNotes(transport)
  const queues = notes.flatMap((note) => (note.kind === 'queue' ? [note] : []))
  let count = 0
  for (const { queue } of queues) count += await applyAction(action, queue, transport)
  const workers = notes.flatMap((note) =>
    note.kind === 'worker' ? [{ ...note, silent_ms: Math.max(0, now.getTime() - Date.parse(note.at)) }] : [],
  )
  const servedQueues = new Set(workers.flatMap((one) => (one.silent_ms < silentMs ? one.queues : [])))
  return {
    place: transport.place,
    queues: await Promise.all(
      queues.map(async ({ queue, needs }) => {
        const counts = await transport.counts(queue)
        return { queue, needs, counts, isUntaken: counts.waiting > 0 && !servedQueues.has(queue) }
      }),
    ),
    workers: workers.sort((a, b) => (a.worker < b.worker ? -1 : 1)),
    isDrained: isDrained(notes),
    did: didTexts[action](count),
  }
}

/** A worker posts a heartbeat every five seconds or so. */
const silentMs = 30_000

const drainedId = 'drained'

/** Runs before the queues are listed, so that a queue created during the drain sees the mark. */
async function markDrained(action: QueueAction, transport: Transport, now: Date): Promise<void> {
  if (action === 'drain') await transport.post({ id: drainedId, value: { kind: 'drained', at: now.toISOString() } })
  if (action === 'resume') await transport.takeDown(drainedId)
}

/** Whether a user has told the workers to take nothing new. */
export function isDrained(notes: readonly QueueNote[]): boolean {
  return notes.some(({ kind }) => kind === 'drained')
}

/** Drains a newly announced queue if the server is drained, or becomes so during the announcement. */
export async function drainIfServerDrained(queue: string, transport: Transport): Promise<boolean> {
  if (!isDrained(await readQueueNotes(transport))) return false
  await transport.drain(queue, true)
  if (isDrained(await readQueueNotes(transport))) return true
  await transport.drain(queue, false)
  return false
}

/** For callers that do not wait for an unreachable server. */
export async function pollQueueStatus(transport: Transport, now: Date): Promise<QueueStatus> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${statusTimeoutMs / 1000} s`)), statusTimeoutMs)
  })
  try {
    return await Promise.race([manageQueues('status', transport, now), late])
  } finally {
    clearTimeout(timer)
  }
}

const statusTimeoutMs = 3000

async function applyAction(action: QueueAction, queue: string, transport: Transport): Promise<number> {
  switch (action) {
    case 'status':
      return 0
    case 'drain':
    case 'resume':
      await transport.drain(queue, action === 'drain')
      return 0
    case 'retry':
      return await transport.retry(queue)
    case 'cancel':
      return await cancelAll(queue, transport)
  }
}

/**
 * For waiting jobs the mark is the only sign of a cancel. It is posted after the listing and before the removal, so that no coordinator
 * has seen it when it submitted one of them.
 */
async function cancelAll(queue: string, transport: Transport): Promise<number> {
  const ids = await transport.open(queue)
  if (ids.length === 0) return 0
  const at = new Date().toISOString()
  const mark = randomBytes(8).toString('hex')
  await transport.post({ id: cancelNoteId(queue), value: { kind: 'cancelled', queue, mark, at } })
  for (const job of await transport.remove(queue, ids)) {
    await transport.post({ id: endNoteId(job), value: { kind: 'end', job, why: 'cancelled', at } })
  }
  return ids.length
}

const didTexts: Readonly<Record<QueueAction, (count: number) => string | null>> = {
  status: () => null,
  drain: () => 'drained: workers take nothing new until queue resume',
  resume: () => 'resumed',
  retry: (count) => `put back: ${count}`,
  cancel: (count) => `cancelled: ${count}`,
}
