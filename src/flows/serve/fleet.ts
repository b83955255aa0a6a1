/** Workers and queues for the served page, with their rates over the last minute. */
import type { Fleet } from '../../../schemas/fleet.ts'
import { messageOf } from '../../base/error.ts'
import type { QueueAddress } from '../../jobs/queue/address.ts'
import { openTransport } from '../../jobs/queue/open.ts'
import type { Transport } from '../../jobs/queue/transport.ts'
import type { FlowContext } from '../context.ts'
import { lookSoon, type QueueLook } from '../queue/look.ts'

export interface FleetWatch extends AsyncDisposable {
  /** As it is now; where the server can't be asked, as it was, with the problem. */
  now(): Promise<Fleet>
}

const windowMs = 60_000

/** What each worker had done at a moment. */
export interface Sample {
  at: number
  done: ReadonlyMap<string, number>
}

/** Throws as `openTransport` does. */
export async function watchFleet(address: QueueAddress, context: FlowContext): Promise<FleetWatch> {
  const transport = await openTransport(address)
  const samples: Sample[] = []
  let last: Fleet = fleetOf(
    { place: transport.place, queues: [], workers: [], isDrained: false, did: null },
    samples,
    context.now(),
  )
  /** One look for all pages that ask meanwhile. */
  let looking: Promise<Fleet> | null = null
  const look = async (): Promise<Fleet> => {
    const now = context.now()
    const found = await lookSoon(transport, now)
    samples.push({ at: now.getTime(), done: new Map(found.workers.map((one) => [one.worker, one.done])) })
    while (samples.length > 2 && (samples[1]?.at ?? 0) <= now.getTime() - windowMs) samples.shift()
    last = fleetOf(found, samples, now)
    return last
  }
  return {
    now() {
      looking ??= look()
        .catch((error: unknown) => ({ ...last, problem: messageOf(error) }))
        .finally(() => {
          looking = null
        })
      return looking
    },
    [Symbol.asyncDispose]: () => closeOf(transport),
  }
}

async function closeOf(transport: Transport): Promise<void> {
  await transport[Symbol.asyncDispose]()
}

function fleetOf({ place, queues, workers }: QueueLook, samples: readonly Sample[], now: Date): Fleet {
  const rates = ratesOf(samples)
  return {
    at: now.toISOString(),
    place,
    problem: null,
    per_minute: rates === null ? null : [...rates.values()].reduce((sum, one) => sum + one, 0),
    queues: queues.map(({ queue, needs, counts, isUntaken }) => ({
      queue,
      needs: [needs.engine, ...needs.tags],
      waiting: counts.waiting,
      active: counts.active,
      failed: counts.failed,
      limit: counts.limit,
      drained: counts.isDrained,
      untaken: isUntaken,
    })),
    workers: workers.map(({ worker, version, engines, tags, ...one }) => ({
      worker,
      version,
      offers: [...engines, ...tags],
      places: one.places,
      busy: one.busy,
      done: one.done,
      failed: one.failed,
      refusals: one.refusals,
      per_minute: rates?.get(worker) ?? null,
      silent_ms: one.silent_ms,
    })),
  }
}

/** Runs a minute of each worker, between the first and the last sample; null: there is only one. One that is gone has none. */
export function ratesOf(samples: readonly Sample[]): ReadonlyMap<string, number> | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at <= first.at) return null
  const minutes = (last.at - first.at) / 60_000
  return new Map(
    [...last.done].map(([worker, done]) => [worker, Math.max(0, done - (first.done.get(worker) ?? 0)) / minutes]),
  )
}
