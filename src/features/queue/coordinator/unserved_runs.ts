/** Reports submitted runs that no worker takes, or whose server is silent, and counts them as waiting. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { FlowEvent } from '../../../../schemas/flow_event.ts'
import type { QueueNeeds, WorkerNote } from '../../../../schemas/queue_job.ts'
import { readOwnPackage } from '../../../base/package_root.ts'
import { startActiveTimeout } from '../../../base/time/active_time.ts'
import { isOutageKind } from '../../../engines/limits/execute_within_limits.ts'
import type { RateLimiter } from '../../../engines/limits/rate_limiter.ts'
import type { FlowContext } from '../../../flows/flow_context.ts'
import type { RunResult } from '../../../phases/2-run/run.ts'
import type { RunRequest } from '../../../phases/2-run/run_request.ts'
import { hasCapabilities } from '../job_requirements.ts'
import { isDrained, readQueueNotes } from '../queue_status.ts'
import type { Transport } from '../server/transport.ts'

interface WatchedQueue {
  transport: Transport
  queue: string
  needs: QueueNeeds
}

interface PollSettings {
  /** Milliseconds between two polls. A live worker posts a heartbeat every five seconds or so. */
  everyMs: number
  /** Polls in a row without a worker before reporting. */
  enough: number
}

const usualPolling: PollSettings = { everyMs: 2000, enough: 5 }

/** Polls until disposed of; reports once when it starts and once when it is over, and no short waits. */
export function reportUnservedRuns(
  place: WatchedQueue,
  { emit }: Pick<FlowContext, 'emit'>,
  looks: PollSettings = usualPolling,
): Disposable {
  const over = new AbortController()
  const { place: server } = place.transport
  /** Sends a request; reports a server that takes long to answer. */
  const answered = async <T>(ask: () => Promise<T>): Promise<T> => {
    let isTold = false
    const tell = () => {
      isTold = !over.signal.aborted
      if (isTold) emit({ type: 'queue_silent', place: server })
    }
    using _silence = startActiveTimeout(looks.everyMs * looks.enough, tell, { unref: true })
    const answer = await ask()
    if (isTold && !over.signal.aborted) emit({ type: 'queue_answers', place: server })
    return answer
  }
  const work = async () => {
    const watch = watchUnserved(place, emit, { enough: looks.enough, own: readOwnPackage().version })
    for (;;) {
      await sleep(looks.everyMs, undefined, { signal: over.signal, ref: false })
      const seen = await answered(() => watch.look().catch(() => null))
      over.signal.throwIfAborted()
      if (seen !== null) watch.tell(seen)
    }
  }
  work().catch(() => {}) // disposed of
  return { [Symbol.dispose]: () => over.abort() }
}

/**
 * `living`: workers with a heartbeat since the last poll. `isInHand`: jobs are running, so a worker may just be slow. `isDrained`: a user
 * has told the workers to take nothing.
 */
type QueueObservation =
  | { as: 'taken' | 'idle' }
  | { as: 'waiting'; living: readonly WorkerNote[]; isInHand: boolean; isDrained: boolean }

/** `enough`: polls in a row without a worker before it reports; `own`: this Whetstone version. */
function watchUnserved(
  { transport, queue, needs }: WatchedQueue,
  emit: FlowContext['emit'],
  { enough, own }: { enough: number; own: string },
) {
  /** The time in each worker's note at the last poll, by the worker's own clock: a live worker changes it. */
  let heard: ReadonlyMap<string, string> | null = null
  /** Workers heard from since a worker last took a job. */
  const alive = new Map<string, WorkerNote>()
  let misses = 0
  let isTold = false
  return {
    async look(): Promise<QueueObservation> {
      const { waiting, active } = await transport.counts(queue)
      const out = waiting + active
      if (out === 0 && !isTold) return { as: 'idle' }
      const notes = await readQueueNotes(transport)
      const workers = notes.filter((note) => note.kind === 'worker')
      const before = heard
      heard = new Map(workers.map(({ worker, at }) => [worker, at]))
      const living = before === null ? [] : workers.filter(({ worker, at }) => before.get(worker) !== at)
      const isHeldBack = isDrained(notes) && active === 0
      if (!isHeldBack && living.some(({ queues }) => queues.includes(queue))) return { as: 'taken' }
      return out === 0 ? { as: 'idle' } : { as: 'waiting', living, isInHand: active > 0, isDrained: isHeldBack }
    },
    tell(seen: QueueObservation): void {
      if (seen.as !== 'waiting') {
        misses = 0
        alive.clear()
        if (!isTold || seen.as === 'idle') return
        isTold = false
        emit({ type: 'queue_met', queue })
        return
      }
      for (const one of seen.living) alive.set(one.worker, one)
      misses += 1
      if (isTold || misses < enough * (seen.isInHand ? 3 : 1)) return
      isTold = true
      const why = seen.isDrained ? drainedServer : explainUnserved(needs, { living: [...alive.values()], own })
      emit({ type: 'queue_unmet', queue, engine: needs.engine, tags: needs.tags, ...why })
    },
  }
}

const drainedServer = {
  message: 'the queue server is drained: workers take no new runs',
  fix: '`whetstone queue resume` lets them take runs again',
}

/** Explains to a person why none of these workers takes from the queue. `own`: this Whetstone version. */
function explainUnserved(
  needs: QueueNeeds,
  { living, own }: { living: readonly WorkerNote[]; own: string },
): { message: string; fix: string } {
  const { engine, tags } = needs
  const asked = [`engine ${engine}`, ...(tags.length === 0 ? [] : [`tags ${tags.join(',')}`])].join(', ')
  const command = `whetstone queue work --engines ${engine}${tags.length === 0 ? '' : ` --tags ${tags.join(',')}`}`
  const start = `start \`${command}\``
  const or = 'or see `whetstone queue status`'
  const message = `no worker takes these runs: ${asked}`
  const able = living.filter((one) => hasCapabilities(one, needs))
  if (able.length === 0) return { message, fix: `${start}, ${or}` }
  const others = [...new Set(able.map(({ version }) => version))].filter((version) => version !== own)
  const reasons = [
    ...(needs.account === null ? [] : ["none has this account's key"]),
    ...(others.length === 0
      ? []
      : [`workers that could take them have another version (${others.join(', ')}; here ${own})`]),
  ]
  const lacks = [...(needs.account === null ? [] : ['the key that is set here']), ...(others.length === 0 ? [] : [own])]
  if (reasons.length === 0)
    return { message: `${message}; workers that could take them take no jobs now`, fix: `${start}, ${or}` }
  return { message: `${message}; ${reasons.join(', or ')}`, fix: `${start} with ${lacks.join(' and ')}, ${or}` }
}

export interface RunWaits {
  /** Passes events on, and follows the queue's state in them. */
  emit: (event: FlowEvent) => void
  /** A run counts as submitted while the work lasts. */
  during: (run: RunRequest, work: () => Promise<RunResult>) => Promise<RunResult>
  /** Throws an error at the end, unless the silent server was given up. */
  forgive: (error: unknown) => void
}

/** Gives up a server that is silent when everything ends: a request would wait until it returns. */
export function watchRunWaits(transport: Transport, context: Pick<FlowContext, 'emit' | 'signal'>): RunWaits {
  const out = new Set<RateLimiter>()
  let [isSilent, isGivenUp] = [false, false]
  const giveUp = () => {
    if (!isSilent) return
    isGivenUp = true
    void transport[Symbol.asyncDispose]()
  }
  context.signal.addEventListener('abort', giveUp, { once: true })
  /** Why no worker takes runs; null: one does. */
  let why: string | null = null
  const block = (message: string) => {
    why = message
    for (const gate of out) gate.block(message, null)
  }
  const release = () => {
    why = null
    for (const gate of out) gate.progress()
  }
  return {
    emit(event) {
      if (event.type === 'queue_unmet') block(event.message)
      if (event.type === 'queue_silent') isSilent = true
      if (event.type === 'queue_answers') isSilent = false
      if (event.type === 'queue_silent') block(`the queue server at ${event.place} does not answer`)
      if (event.type === 'queue_met' || event.type === 'queue_answers') release()
      context.emit(event)
    },
    forgive(error) {
      if (!isGivenUp) throw error
    },
    async during(run, work) {
      const { gate } = run
      if (gate === undefined) return await work()
      out.add(gate)
      if (why !== null) gate.block(why, null)
      try {
        const result = await work()
        reportRunEnd(gate, result)
        return result
      } finally {
        out.delete(gate)
      }
    },
  }
}

function reportRunEnd(gate: RateLimiter, { record, retry }: RunResult): void {
  if (record.status === 'failed' && isOutageKind(record.error.kind)) {
    gate.block(`${record.error.kind}: ${record.error.message}`, retry?.afterMs ?? null)
  } else gate.progress()
}
