/** Runs that are out and that no worker takes, or whose server is silent: whoever waits for them is told, once, and told again when that is over. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { QueueNeeds, WorkerNote } from '../../../schemas/queue_job.ts'
import type { Transport } from '../../jobs/queue/transport.ts'
import type { FlowContext } from '../context.ts'
import { ownVersion } from '../eval/machine.ts'
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

/** Looks until disposed of. What is out for too short a time is not told. */
export function tellUnmet(place: Place, { emit }: Pick<FlowContext, 'emit'>, looks: Looks = usualLooks): Disposable {
  const over = new AbortController()
  const { place: server } = place.transport
  /** Asks; says so where no answer comes for long. */
  const answered = async <T>(ask: () => Promise<T>): Promise<T> => {
    let isTold = false
    const timer = setTimeout(() => {
      isTold = !over.signal.aborted
      if (isTold) emit({ type: 'queue_silent', place: server })
    }, looks.everyMs * looks.enough).unref()
    const answer = await ask()
    clearTimeout(timer)
    if (isTold && !over.signal.aborted) emit({ type: 'queue_answers', place: server })
    return answer
  }
  const work = async () => {
    const watch = new Watch(place, emit, { enough: looks.enough, own: await ownVersion() })
    for (;;) {
      await sleep(looks.everyMs, undefined, { signal: over.signal, ref: false })
      const seen = await answered(() => watch.look().catch(() => null))
      over.signal.throwIfAborted()
      if (seen !== null) watch.tell(seen)
    }
  }
  work().catch(() => {}) // it is over
  return { [Symbol.dispose]: () => over.abort() }
}

/** `living`: workers that were heard of since the look before, of whatever queue. `isInHand`: of some that worker may just be slow to say so. */
type Seen = { as: 'taken' | 'idle' } | { as: 'waiting'; living: readonly WorkerNote[]; isInHand: boolean }

class Watch {
  readonly #place: Place
  readonly #emit: FlowContext['emit']
  readonly #enough: number
  readonly #own: string
  /** What each worker's note said of its time at the last look, by the worker's own clock: one that lives says another. */
  #heard: ReadonlyMap<string, string> | null = null
  /** Those heard of since somebody took something. */
  #living = new Map<string, WorkerNote>()
  #misses = 0
  #isTold = false

  constructor(place: Place, emit: FlowContext['emit'], { enough, own }: { enough: number; own: string }) {
    this.#place = place
    this.#emit = emit
    this.#enough = enough
    this.#own = own
  }

  async look(): Promise<Seen> {
    const { transport, queue } = this.#place
    const { waiting, active } = await transport.counts(queue)
    const out = waiting + active
    if (out === 0 && !this.#isTold) return { as: 'idle' }
    const workers = (await readNotes(transport)).flatMap((note) => (note.kind === 'worker' ? [note] : []))
    const before = this.#heard
    this.#heard = new Map(workers.map(({ worker, at }) => [worker, at]))
    const living = before === null ? [] : workers.filter(({ worker, at }) => before.get(worker) !== at)
    if (living.some(({ queues }) => queues.includes(queue))) return { as: 'taken' }
    return out === 0 ? { as: 'idle' } : { as: 'waiting', living, isInHand: active > 0 }
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
    if (this.#isTold || this.#misses < this.#enough * (seen.isInHand ? 3 : 1)) return
    this.#isTold = true
    const { engine, tags } = needs
    this.#emit({
      type: 'queue_unmet',
      queue,
      engine,
      tags,
      ...whyUnmet(needs, { living: [...this.#living.values()], own: this.#own }),
    })
  }
}

/** For a person, of workers none of which takes from the queue of these needs. `own`: the version that is here. */
function whyUnmet(
  needs: QueueNeeds,
  { living, own }: { living: readonly WorkerNote[]; own: string },
): { message: string; fix: string } {
  const { engine, tags } = needs
  const asked = [`engine ${engine}`, ...(tags.length === 0 ? [] : [`tags ${tags.join(',')}`])].join(', ')
  const command = `whetstone queue work --engines ${engine}${tags.length === 0 ? '' : ` --tags ${tags.join(',')}`}`
  const start = `start \`${command}\``
  const or = 'or see `whetstone queue status`'
  const message = `no worker takes these runs: ${asked}`
  const able = living.filter((one) => offers(one, needs))
  if (able.length === 0) return { message, fix: `${start}, ${or}` }
  const others = [...new Set(able.map(({ version }) => version))].filter((version) => version !== own)
  const reasons = [
    ...(needs.account === null ? [] : ["none has this account's key"]),
    ...(others.length === 0 ? [] : [`those that could are of another version (${others.join(', ')}; here ${own})`]),
  ]
  const lacks = [...(needs.account === null ? [] : ['the key that is set here']), ...(others.length === 0 ? [] : [own])]
  if (reasons.length === 0) return { message: `${message}; those that could take none now`, fix: `${start}, ${or}` }
  return { message: `${message}; ${reasons.join(', or ')}`, fix: `${start} with ${lacks.join(' and ')}, ${or}` }
}
