/** Waits for jobs to end, requests their end, and removes those that a server restored, for a coordinator. */
import { setTimeout as sleep } from 'node:timers/promises'
import { startTimeLimit } from '../../../base/time/time_limit.ts'
import type { RunFailureReason } from '../../../flows/run/failed_run.ts'
import { endNoteId, endReasons } from '../liveness.ts'
import type { JobEnd, QueuedJob, Transport } from '../server/transport.ts'
import type { CoordinatorPresence, LossCounter } from './coordinator_context.ts'

interface QueuePlace {
  transport: Transport
  queue: string
}

interface SubmitContext extends QueuePlace {
  registry: CoordinatorPresence
  losses: LossCounter
}

interface JobSubmission {
  job: QueuedJob
  signal: AbortSignal
  /** Aborted: the job must end. */
  deadline: AbortSignal | null
}

/**
 * Submits a job and returns its end. Submits it again if it ended for a reason older than the submission (its coordinator left, or a
 * person cancelled the queue), and whenever the server loses it.
 */
export async function submitAndWait(
  { job, signal, deadline }: JobSubmission,
  coordinator: SubmitContext,
): Promise<JobEnd> {
  const { transport, queue, registry } = coordinator
  for (let lost = 0; ; ) {
    const seen = registry.cancelled
    await transport.submit(queue, job)
    if (deadline?.aborted) await requestJobEnd(job.id, 'deadline', coordinator)
    const end = await transport.wait(queue, job.id, signal)
    if (end.as === 'gone') {
      if (deadline?.aborted || (await registry.isCancelledSince(seen))) return end
      coordinator.losses.add()
      lost += 1
      // the pause before resubmitting a job lost this often, so that a server that keeps nothing is not flooded
      await sleep(lost === 1 ? 0 : Math.min(1000 * 2 ** (lost - 2), 60_000), undefined, { signal })
      continue
    }
    if (end.as === 'done' || !Object.values<string>(endReasons).includes(end.reason)) return end
    await transport.takeDown(endNoteId(job.id))
    if (end.reason === endReasons.deadline) return end
    if (end.reason === endReasons.cancelled && (await registry.isCancelledSince(seen))) return end
    await transport.remove(queue, [job.id])
  }
}

/** The reason in the record of a failed job. */
export function explainJobFailure(reason: string): RunFailureReason {
  if (reason === endReasons.cancelled) return 'cancelled'
  return /stalled/.test(reason)
    ? {
        kind: 'crash',
        message: `no worker finished it: each worker that took it was lost, more often than the limit for a job`,
      }
    : { kind: 'setup', message: `the worker could not start it: ${reason}` }
}

/** Removes a waiting job; posts a note for the worker to end a running one, and returns whether there is one. */
export async function requestJobEnd(
  id: string,
  why: 'deadline' | 'left',
  { transport, queue }: QueuePlace,
): Promise<boolean> {
  const [held] = await transport.remove(queue, [id])
  if (held === undefined) return false
  await transport.post({ id: endNoteId(id), value: { kind: 'end', job: id, why, at: new Date().toISOString() } })
  return true
}

/** A worker checks for end notes every second, and ends an agent within two. */
const endTimeoutMs = 3500

/** Requests the end of a job whose coordinator leaves. Returns whether a worker still runs it after a short wait. */
export async function isStillHeld(id: string, place: QueuePlace): Promise<boolean> {
  if (!(await requestJobEnd(id, 'left', place))) return false
  using limit = startTimeLimit(endTimeoutMs)
  const end = await place.transport.wait(place.queue, id, limit.signal).catch(() => null)
  if (end !== null) await place.transport.takeDown(endNoteId(id))
  return end === null
}

/** Calls `then` when it is aborted, until disposed of. */
export function watchAbort(signal: AbortSignal | null, then: () => void) {
  if (signal?.aborted) then()
  else signal?.addEventListener('abort', then, { once: true })
  return {
    get aborted() {
      return signal?.aborted ?? false
    },
    [Symbol.dispose]: () => signal?.removeEventListener('abort', then),
  }
}

/** A benchmark's ended jobs still on the server: the only trace of a run committed just before its coordinator was killed. */
export async function listEndedJobs(benchmark: string, { transport, queue }: QueuePlace): Promise<string[]> {
  const ended = await transport.ended(queue)
  return ended.flatMap(({ id, data }) => (isBenchmarkJob(benchmark, data) ? [id] : []))
}

function isBenchmarkJob(benchmark: string, data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'benchmark' in data && data.benchmark === benchmark
}

interface ClearRequest extends QueuePlace {
  benchmark: string
  /** Submitted jobs, by run id. */
  out: ReadonlyMap<string, readonly { id: string }[]>
}

/**
 * Removes the benchmark's jobs that were not submitted here, and requests the end of running ones. Returns those that still run after a
 * short wait.
 */
export async function clearResurrectedJobs(coordinator: ClearRequest): Promise<string[]> {
  const { transport, queue, benchmark } = coordinator
  const open = await transport.open(queue, (data) => isBenchmarkJob(benchmark, data))
  const ended = await listEndedJobs(benchmark, coordinator)
  // read last: a job is registered here before it is on the server
  const out = new Set([...coordinator.out.values()].flatMap((outs) => outs.map(({ id }) => id)))
  const inHand = await transport.remove(
    queue,
    [...open, ...ended].filter((id) => !out.has(id)),
  )
  const end = async (id: string) => {
    if (await isStillHeld(id, coordinator)) return [id]
    await transport.takeDown(endNoteId(id))
    await transport.remove(queue, [id])
    return []
  }
  return (await Promise.all(inHand.map(end))).flat()
}
