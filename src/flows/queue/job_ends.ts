/** How jobs end, as a coordinator hears of it and asks for it. */
import { setTimeout as sleep } from 'node:timers/promises'
import { timeLimit } from '../../base/time_limit.ts'
import type { JobEnd, QueuedJob, Transport } from '../../jobs/queue/transport.ts'
import { endedFor, endNoteId } from './end_notes.ts'
import type { Why } from './failed_run.ts'
import type { Losses } from './losses.ts'
import type { OnBoard } from './on_board.ts'

interface Place {
  transport: Transport
  queue: string
}

interface Desk extends Place {
  board: OnBoard
  losses: Losses
}

interface Submitted {
  job: QueuedJob
  signal: AbortSignal
  /** Aborted: somebody asks for its end. */
  deadline: AbortSignal | null
}

/**
 * Submits a job and gives its end. One that ended for what came before it was submitted (its coordinator had left, or a person had
 * cancelled what was there) is submitted once more, and so is one that the server has lost, as often as it does that.
 */
export async function endOf({ job, signal, deadline }: Submitted, desk: Desk): Promise<JobEnd> {
  const { transport, queue, board } = desk
  for (let lost = 0; ; ) {
    const seen = board.cancelled
    await transport.submit(queue, job)
    if (deadline?.aborted) await askToEnd(job.id, 'deadline', desk)
    const end = await transport.wait(queue, job.id, signal)
    if (end.as === 'gone') {
      if (deadline?.aborted || (await board.isCancelledSince(seen))) return end
      desk.losses.add()
      lost += 1
      await sleep(pauseMs(lost), undefined, { signal })
      continue
    }
    if (end.as === 'done' || !isEnded(end.reason)) return end
    await transport.takeDown(endNoteId(job.id))
    if (end.reason === endedFor.deadline) return end
    if (end.reason === endedFor.cancelled && (await board.isCancelledSince(seen))) return end
    await transport.remove(queue, [job.id])
  }
}

function isEnded(reason: string): boolean {
  return Object.values<string>(endedFor).includes(reason)
}

/** Before a job is submitted that was lost so often: a server that keeps nothing is not asked without a pause. */
function pauseMs(lost: number): number {
  return lost === 1 ? 0 : Math.min(1000 * 2 ** (lost - 2), 60_000)
}

/** What the record says of a job that has failed. */
export function whyFailed(reason: string): Why {
  if (reason === endedFor.cancelled) return 'cancelled'
  return /stalled/.test(reason)
    ? {
        kind: 'crash',
        message: `no worker brought it to an end: each that took it was lost, more often than a job may lose its worker`,
      }
    : { kind: 'setup', message: `the worker could not begin: ${reason}` }
}

/** A job that waits is taken away; one in a worker's hands is ended by a note that workers look for. */
export async function askToEnd(
  id: string,
  why: 'deadline' | 'left',
  { transport, queue }: Place,
): Promise<{ isHeld: boolean }> {
  const [held] = await transport.remove(queue, [id])
  if (held === undefined) return { isHeld: false }
  await transport.post({ id: endNoteId(id), value: { kind: 'end', job: id, why, at: new Date().toISOString() } })
  return { isHeld: true }
}

/** A worker looks every second at what it is asked to end, and ends an agent within two. */
const patienceMs = 3500

/** Asks for the end of a job whose coordinator leaves. Whether a worker has it in its hands still when it was waited for. */
export async function isHeldAfter(id: string, place: Place): Promise<boolean> {
  if (!(await askToEnd(id, 'left', place)).isHeld) return false
  using limit = timeLimit(patienceMs)
  const end = await place.transport.wait(place.queue, id, limit.signal).catch(() => null)
  if (end !== null) await place.transport.takeDown(endNoteId(id))
  return end === null
}

/** Calls `then` when it is aborted, until disposed of. */
export function whenAborted(signal: AbortSignal | null, then: () => void) {
  if (signal?.aborted) then()
  else signal?.addEventListener('abort', then, { once: true })
  return {
    get aborted() {
      return signal?.aborted ?? false
    },
    [Symbol.dispose]: () => signal?.removeEventListener('abort', then),
  }
}

/** Jobs of a benchmark that have ended and are there still: of a run that was committed when its coordinator was killed nothing else is left. */
export async function endedOf(benchmark: string, { transport, queue }: Place): Promise<string[]> {
  const ended = await transport.ended(queue)
  return ended.flatMap(({ id, data }) => (isOf(benchmark, data) ? [id] : []))
}

/** Whether this is the data of a job of that benchmark. */
export function isOf(benchmark: string, data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'benchmark' in data && data.benchmark === benchmark
}
