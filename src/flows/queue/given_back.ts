/** Jobs that a worker can't do and another may: what they met is noted with the job itself, so that none is given back for ever. */
import { type GivenBack, givenBack } from '../../../schemas/queue_job.ts'
import { messageOf } from '../../base/error.ts'
import { GiveBack, type TakenJob } from '../../jobs/queue/transport.ts'

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

function notedOf({ noted }: Noted): GivenBack {
  const read = givenBack.safeParse(noted)
  return read.success ? read.data : givenBack.parse({})
}
