/** Reports workers and queues to the served page, with their rates over the last minute. */
import type { Fleet } from '../../../schemas/fleet.ts'
import { errorMessage } from '../../base/errors/error.ts'
import type { WatchFleet } from '../../cli/commands/options/remote_flags.ts'
import type { FlowContext } from '../../flows/flow_context.ts'
import { pollQueueStatus, type QueueStatus } from './queue_status.ts'
import type { QueueAddress } from './server/address.ts'
import { openTransport } from './server/open.ts'

const windowMs = 60_000

/** What each worker had done at that time. */
export interface FleetSample {
  at: number
  done: ReadonlyMap<string, number>
}

/** Throws as `openTransport` does. */
export async function watchQueues(address: QueueAddress, context: Pick<FlowContext, 'now'>): ReturnType<WatchFleet> {
  const transport = await openTransport(address)
  const samples: FleetSample[] = []
  let last: Fleet = buildFleet(
    { place: transport.place, queues: [], workers: [], isDrained: false, did: null },
    samples,
    context.now(),
  )
  /** Concurrent requests share one query. */
  let looking: Promise<Fleet> | null = null
  const look = async (): Promise<Fleet> => {
    const now = context.now()
    const found = await pollQueueStatus(transport, now)
    samples.push({ at: now.getTime(), done: new Map(found.workers.map((one) => [one.worker, one.done])) })
    while (samples.length > 2 && (samples[1]?.at ?? 0) <= now.getTime() - windowMs) samples.shift()
    last = buildFleet(found, samples, now)
    return last
  }
  return {
    now() {
      looking ??= look()
        .catch((error: unknown) => ({ ...last, problem: errorMessage(error) }))
        .finally(() => {
          looking = null
        })
      return looking
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  }
}

function buildFleet({ place, queues, workers }: QueueStatus, samples: readonly FleetSample[], now: Date): Fleet {
  const rates = computeFleetRates(samples)
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

/** Runs per minute of each worker, between the first and the last sample; null: there is only one. Omits workers that are gone. */
export function computeFleetRates(samples: readonly FleetSample[]): ReadonlyMap<string, number> | null {
  const [first, last] = [samples[0], samples.at(-1)]
  if (first === undefined || last === undefined || last.at <= first.at) return null
  const minutes = (last.at - first.at) / 60_000
  return new Map(
    [...last.done].map(([worker, done]) => [worker, Math.max(0, done - (first.done.get(worker) ?? 0)) / minutes]),
  )
}
