/** Removes jobs that the server restored from an older state, after a failover or from a backup, since no coordinator waits for them. */
import type { Transport } from '../../../jobs/queue/transport.ts'
import { endNoteId } from '../worker/cancel_notes.ts'
import { isBenchmarkJob, isStillHeld, listEndedJobs } from './job_ends.ts'

interface ClearRequest {
  transport: Transport
  queue: string
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
  const heldJobs = await Promise.all(inHand.map(async (id) => ((await isEnded(id, coordinator)) ? [] : [id])))
  return heldJobs.flat()
}

async function isEnded(id: string, coordinator: ClearRequest): Promise<boolean> {
  if (await isStillHeld(id, coordinator)) return false
  await coordinator.transport.takeDown(endNoteId(id))
  await coordinator.transport.remove(coordinator.queue, [id])
  return true
}
