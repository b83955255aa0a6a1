/** What a worker takes: as many jobs as it has places, over all of its queues, and none while its machine is short of something. */
import { GiveBack, type Working } from '../../jobs/queue/transport.ts'

export class Intake {
  readonly #places: number
  readonly #held = new Map<string, Working>()
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
  enter(): Disposable {
    if (this.#shortOf !== null) throw new GiveBack(this.#shortOf)
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

  /** A queue alone gives no more than there are places by itself. */
  #turn(): void {
    const isOpen = this.#shortOf === null && (this.#held.size < 2 || this.#busy < this.#places)
    if (isOpen === this.#isOpen) return
    this.#isOpen = isOpen
    for (const one of this.#held.values()) isOpen ? one.go() : one.pause()
  }
}
