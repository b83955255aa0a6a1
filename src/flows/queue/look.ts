/** What there is on a queue server, and what a person may do about it. */
import { randomBytes } from 'node:crypto'
import { type QueueNeeds, type QueueNote, queueNote, type WorkerNote } from '../../../schemas/queue_job.ts'
import type { QueueCounts, Transport } from '../../jobs/queue/transport.ts'
import { cancelNoteId, endNoteId } from './end_notes.ts'

export type QueueAction = 'status' | 'drain' | 'resume' | 'retry' | 'cancel'

export interface QueueLook {
  place: string
  /** `isUntaken`: jobs wait in it that no living worker takes. */
  queues: { queue: string; needs: QueueNeeds; counts: QueueCounts; isUntaken: boolean }[]
  /** `silent_ms`: since it was last heard of, by the clock of this machine. */
  workers: (WorkerNote & { silent_ms: number })[]
  /** Workers take nothing new, also from queues that are made later. */
  isDrained: boolean
  /** One line on what was done; null: it was only a look. */
  did: string | null
}

/** The notes that can be read. */
export async function readNotes(transport: Transport): Promise<QueueNote[]> {
  return (await transport.notes()).flatMap(({ value }) => {
    const read = queueNote.safeParse(value)
    return read.success ? [read.data] : []
  })
}

/** Does it on every queue of the server, then looks. */
export async function lookAfterQueues(action: QueueAction, transport: Transport, now: Date): Promise<QueueLook> {
  await markDrained(action, transport, now)
  const notes = await readNotes(transport)
  const queues = notes.flatMap((note) => (note.kind === 'queue' ? [note] : []))
  let count = 0
  for (const { queue } of queues) count += await act(action, queue, transport)
  const workers = notes.flatMap((note) =>
    note.kind === 'worker' ? [{ ...note, silent_ms: Math.max(0, now.getTime() - Date.parse(note.at)) }] : [],
  )
  const held = new Set(workers.flatMap((one) => (one.silent_ms < silentMs ? one.queues : [])))
  return {
    place: transport.place,
    queues: await Promise.all(
      queues.map(async ({ queue, needs }) => {
        const counts = await transport.counts(queue)
        return { queue, needs, counts, isUntaken: counts.waiting > 0 && !held.has(queue) }
      }),
    ),
    workers: workers.sort((a, b) => (a.worker < b.worker ? -1 : 1)),
    isDrained: isDrained(notes),
    did: didWhat(action, count),
  }
}

/** A worker says that it lives every five seconds or so. */
const silentMs = 30_000

const drainedId = 'drained'

/** Before the queues are listed: who makes one meanwhile finds it. */
async function markDrained(action: QueueAction, transport: Transport, now: Date): Promise<void> {
  if (action === 'drain') await transport.post({ id: drainedId, value: { kind: 'drained', at: now.toISOString() } })
  if (action === 'resume') await transport.takeDown(drainedId)
}

function isDrained(notes: readonly QueueNote[]): boolean {
  return notes.some(({ kind }) => kind === 'drained')
}

/** A queue that was just announced is drained where all are, as they were or became so meanwhile. */
export async function drainIfAll(queue: string, transport: Transport): Promise<boolean> {
  if (!isDrained(await readNotes(transport))) return false
  await transport.drain(queue, true)
  if (isDrained(await readNotes(transport))) return true
  await transport.drain(queue, false)
  return false
}

/** For who does not wait for a server that is away. */
export async function lookSoon(transport: Transport, now: Date): Promise<QueueLook> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${patienceMs / 1000} s`)), patienceMs)
  })
  try {
    return await Promise.race([lookAfterQueues('status', transport, now), late])
  } finally {
    clearTimeout(timer)
  }
}

const patienceMs = 3000

async function act(action: QueueAction, queue: string, transport: Transport): Promise<number> {
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
 * Of jobs that wait only the mark tells that they were cancelled: it hangs there before they are taken away, and after they were
 * listed, so that no coordinator had seen it when it submitted one of them.
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

function didWhat(action: QueueAction, count: number): string | null {
  switch (action) {
    case 'status':
      return null
    case 'drain':
      return 'drained: workers take nothing new until queue resume'
    case 'resume':
      return 'resumed'
    case 'retry':
      return `put back: ${count}`
    case 'cancel':
      return `cancelled: ${count}`
  }
}
