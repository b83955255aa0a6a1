/** Releases jobs that another worker may be able to run; a note on each job limits how often. Notes what this worker lacks. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EngineChoice } from '../../../../schemas/plan.ts'
import {
  type GivenBack,
  givenBack,
  type QueueNeeds,
  type QueueNote,
  type WorkerNote,
} from '../../../../schemas/queue_job.ts'
import type { RunRecord } from '../../../../schemas/run.ts'
import { errorMessage } from '../../../base/errors/error.ts'
import { canonicalJson, sha256 } from '../../../base/json/json.ts'
import { hasCapabilities } from '../job_requirements.ts'
import { readQueueNotes } from '../queue_status.ts'
import { ReleaseJob, type TakenJob, type Transport } from '../server/transport.ts'

type NotedJob = Pick<TakenJob, 'noted' | 'note'>

const emptyJobNote = givenBack.parse({})

/** Resets a failed job for a retry. */
export async function forgetUnfitWorkers(job: NotedJob): Promise<void> {
  if (parseJobNote(job).unfit.length > 0) await job.note(emptyJobNote)
}

/** Stops retrying a job that exceeds every worker's resources. */
const usualShortages = 20

/** The error for a job that met a shortage: released, or at the limit failed with it; a retry resets the count. */
export async function resolveShortage(job: NotedJob, error: unknown, most = usualShortages): Promise<unknown> {
  const before = parseJobNote(job)
  const shortages = before.shortages + 1
  await job.note(shortages < most ? { ...before, shortages } : emptyJobNote)
  return shortages < most ? new ReleaseJob(errorMessage(error)) : error
}

/** Most workers that may be unfit for a job; the next one's failure is final. */
const mostUnfit = 10

/** Milliseconds; workers notice a new queue within a second or so. */
const newQueueMs = 3000

interface UnfitWorker {
  worker: string
  queue: string
  /** What this worker lacks, as its note already says. */
  asked: string
}

interface WorkerRegistry {
  transport: Transport
  /** The notes of live workers. */
  living: (notes: readonly QueueNote[]) => readonly WorkerNote[]
}

/**
 * Whether a live worker may run what this one can't, and has not failed at it itself, for this job or recently for another; if so, the job
 * notes this worker.
 */
export async function canAnotherWorkerRun(
  job: NotedJob,
  self: UnfitWorker,
  registry: WorkerRegistry,
): Promise<boolean> {
  const before = parseJobNote(job)
  const unfit = [...new Set([...before.unfit, self.worker])]
  if (unfit.length > mostUnfit) return false
  let found = await findUntriedWorker(self, unfit, registry)
  if (found === 'perhaps') {
    await sleep(newQueueMs)
    found = await findUntriedWorker(self, unfit, registry)
  }
  if (found !== 'there') return false
  await job.note({ ...before, unfit })
  return true
}

/** `perhaps`: some meet the needs but do not take from the queue yet. */
async function findUntriedWorker(
  { queue, asked }: UnfitWorker,
  unfit: readonly string[],
  { transport, living }: WorkerRegistry,
): Promise<'there' | 'perhaps' | 'none'> {
  const notes = await readQueueNotes(transport)
  const needs = notes.flatMap((note) => (note.kind === 'queue' && note.queue === queue ? [note.needs] : []))
  const others = living(notes).filter(({ worker, lacks }) => !unfit.includes(worker) && !lacks.includes(asked))
  if (others.some(({ queues }) => queues.includes(queue))) return 'there'
  return others.some((one) => needs.some((need) => hasCapabilities(one, need))) ? 'perhaps' : 'none'
}

function parseJobNote({ noted }: NotedJob): GivenBack {
  const read = givenBack.safeParse(noted)
  return read.success ? read.data : emptyJobNote
}

/** Why a record failed because of the worker and not the run; null: it did not. With an account every worker has the same key. */
export function findMissingCapability(record: RunRecord, account: QueueNeeds['account']): string | null {
  if (record.status !== 'failed') return null
  const { kind, message } = record.error
  const isLack = kind === 'missing_binary' || (kind === 'credentials' && account === null)
  return isLack ? `${kind}: ${message}` : null
}

/** What a run needs besides its queue's needs: for the engine `command`, each program counts separately. */
export function capabilityKey(queue: string, engine: EngineChoice): string {
  return sha256(canonicalJson([queue, engine])).slice(0, 16)
}

/** Milliseconds; a missing capability may be available later. */
const lackMs = 30_000

export class MissingCapabilities {
  readonly #since = new Map<string, number>()

  add(asked: string): void {
    this.#since.set(asked, performance.now())
  }

  delete(asked: string): void {
    this.#since.delete(asked)
  }

  /** Capabilities missing within that time. */
  recent(): string[] {
    const least = performance.now() - lackMs
    for (const [asked, since] of this.#since) if (since < least) this.#since.delete(asked)
    return [...this.#since.keys()]
  }
}
