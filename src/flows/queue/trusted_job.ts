/** What a worker takes for a job: one that is whole, signed where it has a key, and asks for none of the queue's own secrets. */
import { type QueueJob, queueJob } from '../../../schemas/queue_job.ts'
import { messageOf } from '../../base/error.ts'
import { checkAs } from '../../base/json.ts'
import type { Signer } from '../../jobs/queue/plug_in.ts'
import type { TakenJob } from '../../jobs/queue/transport.ts'
import { unseenAmong } from '../../phases/2-run/environment.ts'

export interface Trust {
  /** null: jobs of everyone are run, however old. */
  signer: Signer | null
  now: Date
  refused: (reason: string) => void
}

/** Throws what becomes the reason of a failed job, after telling it. */
export function trustedJob(taken: Pick<TakenJob, 'id' | 'data'>, { signer, now, refused }: Trust): QueueJob {
  try {
    const job = checkAs(queueJob, taken.data, 'job')
    if (signer !== null && !signer.verify({ id: taken.id, ...job, signature: null }, job.signature)) {
      throw new Error('the job is not signed with the key of this worker (--key-file)')
    }
    if (signer !== null && now.getTime() > Date.parse(job.expires_at)) {
      const [until, here] = [job.expires_at, now.toISOString()]
      throw new Error(
        `the job is signed until ${until}, and the clock of this worker says ${here}: the same command signs it anew`,
      )
    }
    const wanted = unseenAmong(job.pass_env)
    if (wanted !== undefined) throw new Error(`the job asks for ${wanted}, which no run gets to see`)
    return job
  } catch (error) {
    refused(messageOf(error))
    throw error
  }
}
