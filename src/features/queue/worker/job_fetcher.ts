/** Limits what a worker takes (as many jobs as it has slots, none during a resource shortage) and releases what another may be able to run. */
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
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
import { isShortage } from '../../../base/process/resource_shortage.ts'
import { writableAttemptFolder } from '../files/shared_runs.ts'
import { hasCapabilities } from '../job_requirements.ts'
import { readQueueNotes } from '../queue_status.ts'
import { type QueueConsumer, ReleaseJob, type TakenJob, type Transport } from '../server/transport.ts'
import type { WorkerServices } from './perform_job.ts'

/** Milliseconds without taking from a queue whose job this worker could not run: first and longest. */
const [firstRestMs, mostRestMs] = [5000, 30_000]

export class JobFetcher {
  readonly #places: number
  readonly #held = new Map<string, QueueConsumer>()
  /** Queues on pause, each until a time of `performance.now()`. */
  readonly #rests = new Map<string, { ms: number; until: number }>()
  #busy = 0
  #shortOf: string | null = null
  #isOpen = true

  constructor(places: number) {
    this.#places = places
  }

  get queues(): Pick<ReadonlyMap<string, QueueConsumer>, 'has' | 'keys' | 'values'> {
    return this.#held
  }

  /** Why it takes nothing; null: it takes jobs while slots are free. */
  get shortOf(): string | null {
    return this.#shortOf
  }

  hold(queue: string, working: QueueConsumer): void {
    this.#held.set(queue, working)
    if (!this.#isOpen) working.pause()
    this.#turn()
  }

  /** A slot for a job, until disposed of. Throws ReleaseJob if there is none: several queues may have delivered at once. */
  enter(queue: string): Disposable {
    if (this.#shortOf !== null) throw new ReleaseJob(this.#shortOf)
    if (this.#isResting(queue)) throw new ReleaseJob('this worker pauses for this queue')
    if (this.#busy >= this.#places) throw new ReleaseJob('this worker already runs as many jobs as it may')
    this.#busy += 1
    this.#turn()
    return {
      [Symbol.dispose]: () => {
        this.#busy -= 1
        this.#turn()
      },
    }
  }

  /** null: the shortage is over. */
  short(of: string | null): void {
    this.#shortOf = of
    this.#turn()
  }

  /** Pauses the queue, each time twice as long; returns how long, in milliseconds. */
  rest(queue: string): number {
    const before = this.#rests.get(queue)
    if (before !== undefined && this.#isResting(queue)) return before.ms
    const ms = Math.min(before === undefined ? firstRestMs : before.ms * 2, mostRestMs)
    this.#rests.set(queue, { ms, until: performance.now() + ms })
    this.#held.get(queue)?.pause()
    return ms
  }

  /** Resets the next pause to a short one. */
  fit(queue: string): void {
    if (!this.#isResting(queue)) this.#rests.delete(queue)
  }

  /** Resumes queues whose pause is over. */
  wake(): void {
    if (!this.#isOpen) return
    for (const queue of this.#rests.keys()) if (!this.#isResting(queue)) this.#held.get(queue)?.go()
  }

  #isResting(queue: string): boolean {
    return (this.#rests.get(queue)?.until ?? 0) > performance.now()
  }

  /** A single queue already delivers no more jobs than there are slots. */
  #turn(): void {
    const isOpen = this.#shortOf === null && (this.#held.size < 2 || this.#busy < this.#places)
    if (isOpen === this.#isOpen) return
    this.#isOpen = isOpen
    for (const [queue, one] of this.#held) isOpen && !this.#isResting(queue) ? one.go() : one.pause()
  }
}

type Places = Pick<WorkerServices, 'paths' | 'hidden'>

export class ResourceShortage {
  readonly #services: Places
  /** Folders that were not writable. */
  readonly #closed = new Set<string>()

  constructor(services: Places) {
    this.#services = services
  }

  /** The shortage behind a job's failure; always tests the shared folder. null: none. */
  async of(error: unknown, benchmark: string): Promise<string | null> {
    return (await this.#refusal(benchmark)) ?? (isShortage(error) ? errorMessage(error) : null)
  }

  /** Before the first job; null: the shared folder is writable. */
  atStart(): Promise<string | null> {
    return this.#refusal(null)
  }

  async isOver(): Promise<boolean> {
    for (const folder of this.#closed) {
      // a finished benchmark's folder does not exist
      if (existsSync(folder) && (await whyNotWritten(folder)) !== null) return false
    }
    if ((await whyNoDiskSpace([tmpdir(), ...this.#services.hidden])) !== null) return false
    this.#closed.clear()
    return true
  }

  async #refusal(benchmark: string | null): Promise<string | null> {
    const folder = writableAttemptFolder(this.#services.paths, benchmark)
    const why = await whyNotWritten(folder)
    if (why === null) return null
    this.#closed.add(folder)
    return `the shared folder can't be written to: ${why}`
  }
}

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

/** Why some megabytes can't be written into one of these folders; null: they can. */
async function whyNoDiskSpace(folders: readonly string[]): Promise<string | null> {
  const content = Buffer.alloc(4 * 2 ** 20)
  for (const folder of folders) {
    const why = await whyNotWritten(folder, content)
    if (why !== null) return why
  }
  return null
}

/** Why nothing can be written into a folder, found by writing a file; null: it can. */
async function whyNotWritten(folder: string, content: Uint8Array = new Uint8Array(1)): Promise<string | null> {
  const file = path.join(folder, `.room-${randomUUID()}`)
  try {
    await writeFile(file, content)
    return null
  } catch (error) {
    return errorMessage(error)
  } finally {
    await rm(file, { force: true }).catch(() => {})
  }
}
