/** What a worker takes: as many jobs as it has places, over all of its queues, and none while its machine is short of something. */
import { GiveBack, type Working } from '../../jobs/queue/transport.ts'

/** How long nothing is taken from a queue that this worker was unfit for: at first, and at most. */
const [firstRestMs, mostRestMs] = [5000, 30_000]

export class Intake {
  readonly #places: number
  readonly #held = new Map<string, Working>()
  /** Queues from which nothing is taken until a moment of `performance.now()`. */
  readonly #rests = new Map<string, { ms: number; until: number }>()
  #busy = 0
  #shortOf: string | null = null
  #isOpen = true

  constructor(places: number) {
    this.#places = places
  }

  get queues(): Pick<ReadonlyMap<string, Working>, 'has' | 'keys' | 'values'> {
    return this.#held
  }

  /** Why nothing is taken; null: it is, as far as there are places. */
  get shortOf(): string | null {
    return this.#shortOf
  }

  hold(queue: string, working: Working): void {
    this.#held.set(queue, working)
    if (!this.#isOpen) working.pause()
    this.#turn()
  }

  /** A place for a job, until it is disposed of. Throws GiveBack where there is none: several queues may have given at once. */
  enter(queue: string): Disposable {
    if (this.#shortOf !== null) throw new GiveBack(this.#shortOf)
    if (this.#isResting(queue)) throw new GiveBack('this worker takes nothing from the queue for a while')
    if (this.#busy >= this.#places) throw new GiveBack('every place of this worker is taken')
    this.#busy += 1
    this.#turn()
    return {
      [Symbol.dispose]: () => {
        this.#busy -= 1
        this.#turn()
      },
    }
  }

  /** null: it is over. */
  short(of: string | null): void {
    this.#shortOf = of
    this.#turn()
  }

  /** Nothing is taken from the queue for a while, each time for twice as long; gives how long, in milliseconds. */
  rest(queue: string): number {
    const before = this.#rests.get(queue)
    if (before !== undefined && this.#isResting(queue)) return before.ms
    const ms = Math.min(before === undefined ? firstRestMs : before.ms * 2, mostRestMs)
    this.#rests.set(queue, { ms, until: performance.now() + ms })
    this.#held.get(queue)?.pause()
    return ms
  }

  /** The next rest is a short one again. */
  fit(queue: string): void {
    if (!this.#isResting(queue)) this.#rests.delete(queue)
  }

  /** Ends the rests that are over. */
  wake(): void {
    if (!this.#isOpen) return
    for (const queue of this.#rests.keys()) if (!this.#isResting(queue)) this.#held.get(queue)?.go()
  }

  #isResting(queue: string): boolean {
    return (this.#rests.get(queue)?.until ?? 0) > performance.now()
  }

  /** A queue alone gives no more than there are places by itself. */
  #turn(): void {
    const isOpen = this.#shortOf === null && (this.#held.size < 2 || this.#busy < this.#places)
    if (isOpen === this.#isOpen) return
    this.#isOpen = isOpen
    for (const [queue, one] of this.#held) isOpen && !this.#isResting(queue) ? one.go() : one.pause()
  }
}
