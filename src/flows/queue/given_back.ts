/** Jobs that a worker can't do and another may: what they met is noted with the job itself, so that none is given back for ever. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type GivenBack, givenBack } from '../../../schemas/queue_job.ts'
import type { RunRecord } from '../../../schemas/run.ts'
import { messageOf } from '../../base/error.ts'
import { GiveBack, type TakenJob, type Transport } from '../../jobs/queue/transport.ts'
import { readNotes, silentMs } from './look.ts'
import { offers } from './needs.ts'

type Noted = Pick<TakenJob, 'noted' | 'note'>

/** What no worker has room for is not tried for ever. */
const usualShortages = 20

/** What a job ends with that met a shortage: it is given back, or at the last time fails with it, and may be put back for as many again. */
export async function afterShortage(job: Noted, error: unknown, most = usualShortages): Promise<unknown> {
  const before = notedOf(job)
  const shortages = before.shortages + 1
  await job.note({ ...before, shortages: shortages < most ? shortages : 0 })
  return shortages < most ? new GiveBack(messageOf(error)) : error
}

/** Why it is the worker, not the run, that a record has failed of; null: it is not. */
export function lackOf(record: RunRecord): string | null {
  if (record.status !== 'failed') return null
  const { kind, message } = record.error
  return kind === 'missing_binary' || kind === 'credentials' ? `${kind}: ${message}` : null
}

/** So often is a job left to another worker, over all of them. */
const mostUnfit = 20

/** Workers see a queue that is new within a second or so. */
const newQueueMs = 3000

/**
 * Whether there is a living worker that may do what this one is unfit for, and has not been found unfit for it too; then the job
 * notes this one.
 */
export async function mayAnother(
  job: Noted,
  { worker, queue }: { worker: string; queue: string },
  transport: Transport,
): Promise<boolean> {
  const before = notedOf(job)
  const unfit = [...before.unfit, worker]
  if (unfit.length > mostUnfit) return false
  let found = await untried(queue, unfit, transport)
  if (found === 'perhaps') {
    await sleep(newQueueMs)
    found = await untried(queue, unfit, transport)
  }
  if (found !== 'there') return false
  await job.note({ ...before, unfit })
  return true
}

/** `perhaps`: some have what is needed, and do not take from the queue yet. */
async function untried(
  queue: string,
  unfit: readonly string[],
  transport: Transport,
): Promise<'there' | 'perhaps' | 'none'> {
  const notes = await readNotes(transport)
  const needs = notes.flatMap((note) => (note.kind === 'queue' && note.queue === queue ? [note.needs] : []))
  const others = notes.flatMap((note) => (note.kind === 'worker' && !unfit.includes(note.worker) ? [note] : []))
  const living = others.filter(({ at }) => Date.now() - Date.parse(at) < silentMs)
  if (living.some(({ queues }) => queues.includes(queue))) return 'there'
  return living.some((one) => needs.some((need) => offers(one, need))) ? 'perhaps' : 'none'
}

function notedOf({ noted }: Noted): GivenBack {
  const read = givenBack.safeParse(noted)
  return read.success ? read.data : givenBack.parse({})
}
