/** Runs that are out and that no worker takes: whoever waits for them is told, once, and told again when a worker does. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueNeeds, WorkerNote } from '../../../schemas/queue_job.ts'
import type { Transport } from '../../jobs/queue/transport.ts'
import type { FlowContext } from '../context.ts'
import { readNotes } from './look.ts'
import { offers } from './needs.ts'

interface Place {
  transport: Transport
  queue: string
  needs: QueueNeeds
}

interface Looks {
  /** Milliseconds between two. A living worker says so every five seconds or so. */
  everyMs: number
  /** So many one after the other that see nobody are enough. */
  enough: number
}

const usualLooks: Looks = { everyMs: 2000, enough: 5 }

/** Looks until disposed of. What is out for too short a time, or while the server is away, is not told. */
export function tellUnmet(place: Place, { emit }: Pick<FlowContext, 'emit'>, looks: Looks = usualLooks): Disposable {
  const over = new AbortController()
  const watch = new Watch(place, emit, looks.enough)
  const work = async () => {
    for (;;) {
      await sleep(looks.everyMs, undefined, { signal: over.signal, ref: false })
      const seen = await watch.look().catch(() => null)
      over.signal.throwIfAborted()
      if (seen !== null) watch.tell(seen)
    }
  }
  work().catch(() => {}) // it is over
  return { [Symbol.dispose]: () => over.abort() }
}

/** `living`: workers that were heard of since the looks before, of whatever queue. */
type Seen = { as: 'taken' | 'idle' } | { as: 'waiting'; living: readonly WorkerNote[] }

class Watch {
  readonly #place: Place
  readonly #emit: FlowContext['emit']
  readonly #enough: number
  /** What each worker's note said of its time at the last look, by the worker's own clock: one that lives says another. */
  #heard: ReadonlyMap<string, string> | null = null
  /** Those heard of since somebody took something. */
  #living = new Map<string, WorkerNote>()
  #misses = 0
  #isTold = false

  constructor(place: Place, emit: FlowContext['emit'], enough: number) {
    this.#place = place
    this.#emit = emit
    this.#enough = enough
  }

  async look(): Promise<Seen> {
    const { transport, queue } = this.#place
    const { waiting, active } = await transport.counts(queue)
    if (active > 0) return { as: 'taken' }
    if (waiting === 0 && !this.#isTold) return { as: 'idle' }
    const workers = (await readNotes(transport)).flatMap((note) => (note.kind === 'worker' ? [note] : []))
    const before = this.#heard
    this.#heard = new Map(workers.map(({ worker, at }) => [worker, at]))
    const living = before === null ? [] : workers.filter(({ worker, at }) => before.get(worker) !== at)
    if (living.some(({ queues }) => queues.includes(queue))) return { as: 'taken' }
    return waiting === 0 ? { as: 'idle' } : { as: 'waiting', living }
  }

  tell(seen: Seen): void {
    const { queue, needs } = this.#place
    if (seen.as !== 'waiting') {
      this.#misses = 0
      this.#living.clear()
      if (!this.#isTold || seen.as === 'idle') return
      this.#isTold = false
      this.#emit({ type: 'queue_met', queue })
      return
    }
    for (const one of seen.living) this.#living.set(one.worker, one)
    this.#misses += 1
    if (this.#isTold || this.#misses < this.#enough) return
    this.#isTold = true
    const { engine, tags } = needs
    this.#emit({ type: 'queue_unmet', queue, engine, tags, ...whyUnmet(needs, [...this.#living.values()]) })
  }
}

/** For a person, of workers none of which takes from the queue of these needs. */
function whyUnmet(needs: QueueNeeds, living: readonly WorkerNote[]): { message: string; fix: string } {
  const { engine, tags } = needs
  const asked = [`engine ${engine}`, ...(tags.length === 0 ? [] : [`tags ${tags.join(',')}`])].join(', ')
  const command = `whetstone queue work --engines ${engine}${tags.length === 0 ? '' : ` --tags ${tags.join(',')}`}`
  const start = `start \`${command}\``
  const or = 'or see `whetstone queue status`'
  const able = living.filter((one) => offers(one, needs))
  if (able.length === 0) return { message: `no worker takes these runs: ${asked}`, fix: `${start}, ${or}` }
  if (needs.account !== null) {
    return {
      message: `no worker takes these runs: ${asked}; none has this account's key`,
      fix: `${start} with the key that is set here, ${or}`,
    }
  }
  const versions = [...new Set(able.map(({ version }) => version))].join(', ')
  return {
    message: `no worker takes these runs: ${asked}; those that could are of another version (${versions})`,
    fix: `${start} of this version, ${or}`,
  }
}
