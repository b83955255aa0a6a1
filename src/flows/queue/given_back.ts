/** Jobs that a worker can't do and another may: what they met is noted with the job itself, so that none is given back for ever. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type GivenBack, givenBack, type QueueNote, type WorkerNote } from '../../../schemas/queue_job.ts'
import { messageOf } from '../../base/error.ts'
import { GiveBack, type TakenJob, type Transport } from '../../jobs/queue/transport.ts'
import { readNotes } from './look.ts'
import { offers } from './needs.ts'

type Noted = Pick<TakenJob, 'noted' | 'note'>

const nothing = givenBack.parse({})

/** A job that has failed and is put back begins anew. */
export async function forgetLacks(job: Noted): Promise<void> {
  if (notedOf(job).unfit.length > 0) await job.note(nothing)
}

/** What no worker has room for is not tried for ever. */
const usualShortages = 20

/** What a job ends with that met a shortage: it is given back, or at the last time fails with it, and may be put back for as many again. */
export async function afterShortage(job: Noted, error: unknown, most = usualShortages): Promise<unknown> {
  const before = notedOf(job)
  const shortages = before.shortages + 1
  await job.note(shortages < most ? { ...before, shortages } : nothing)
  return shortages < most ? new GiveBack(messageOf(error)) : error
}

/** So many workers may be found unfit for a job; the next that is answers. */
const mostUnfit = 10

/** Workers see a queue that is new within a second or so. */
const newQueueMs = 3000

interface Self {
  worker: string
  queue: string
  /** What this worker lacks, as its note says by now. */
  asked: string
}

interface Board {
  transport: Transport
  /** Those among the notes whose workers live. */
  living: (notes: readonly QueueNote[]) => readonly WorkerNote[]
}

/**
 * Whether there is a living worker that may do what this one is unfit for, and has not been found unfit for it too, at this job
 * or lately at another; then the job notes this one.
 */
export async function mayAnother(job: Noted, self: Self, board: Board): Promise<boolean> {
  const before = notedOf(job)
  const unfit = [...new Set([...before.unfit, self.worker])]
  if (unfit.length > mostUnfit) return false
  let found = await untried(self, unfit, board)
  if (found === 'perhaps') {
    await sleep(newQueueMs)
    found = await untried(self, unfit, board)
  }
  if (found !== 'there') return false
  await job.note({ ...before, unfit })
  return true
}

/** `perhaps`: some have what is needed, and do not take from the queue yet. */
async function untried(
  { queue, asked }: Self,
  unfit: readonly string[],
  { transport, living }: Board,
): Promise<'there' | 'perhaps' | 'none'> {
  const notes = await readNotes(transport)
  const needs = notes.flatMap((note) => (note.kind === 'queue' && note.queue === queue ? [note.needs] : []))
  const others = living(notes).filter(({ worker, lacks }) => !unfit.includes(worker) && !lacks.includes(asked))
  if (others.some(({ queues }) => queues.includes(queue))) return 'there'
  return others.some((one) => needs.some((need) => offers(one, need))) ? 'perhaps' : 'none'
}

function notedOf({ noted }: Noted): GivenBack {
  const read = givenBack.safeParse(noted)
  return read.success ? read.data : nothing
}
