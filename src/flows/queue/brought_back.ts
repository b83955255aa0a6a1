/** Jobs that an older state of the server has brought back, after a failover or from a copy: their removal is forgotten, and nobody waits for them. */
import type { Transport } from '../../jobs/queue/transport.ts'
import { endNoteId } from './end_notes.ts'
import { endedOf, isHeldAfter, isOf } from './job_ends.ts'

interface Desk {
  transport: Transport
  queue: string
  benchmark: string
  /** What is out, by run id. */
  out: ReadonlyMap<string, readonly { id: string }[]>
}

/**
 * Takes away the jobs of the benchmark that are not out, and has those ended that a worker has in its hands. Gives those that it has
 * still when they were waited for.
 */
export async function clearBroughtBack(desk: Desk): Promise<string[]> {
  const { transport, queue, benchmark } = desk
  const open = await transport.open(queue, (data) => isOf(benchmark, data))
  const ended = await endedOf(benchmark, desk)
  // looked at after them: a job is out before it is there
  const out = new Set([...desk.out.values()].flatMap((outs) => outs.map(({ id }) => id)))
  const inHand = await transport.remove(
    queue,
    [...open, ...ended].filter((id) => !out.has(id)),
  )
  const held = await Promise.all(inHand.map(async (id) => ((await isEnded(id, desk)) ? [] : [id])))
  return held.flat()
}

async function isEnded(id: string, desk: Desk): Promise<boolean> {
  if (await isHeldAfter(id, desk)) return false
  await desk.transport.takeDown(endNoteId(id))
  await desk.transport.remove(desk.queue, [id])
  return true
}
