/** Limits what a worker takes: as many jobs as it has slots, over all queues, and none during a resource shortage. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { errorMessage } from '../../../base/errors/error.ts'
import { isShortage, whyNoDiskSpace, whyNotWritten } from '../../../base/process/resource_shortage.ts'
import { writableAttemptFolder } from '../files/shared_runs.ts'
import { type QueueConsumer, ReleaseJob } from '../server/transport.ts'
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
