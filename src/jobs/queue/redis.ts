/** BullMQ's parts over Redis or Valkey. */
import type { QueueAddress } from './address.ts'
import { type Backend, loadBull, prefix } from './backend.ts'
import { redisConnection } from './connection.ts'
import { gatheredConnector } from './gathered_connector.ts'
import { type Contact, untilReached } from './reach.ts'

export async function redisBackend(address: QueueAddress): Promise<Backend> {
  const bull = await loadBull('ioredis')
  const { AbstractConnector } = await import('ioredis')
  const state = { isOver: false }
  const place = redisConnection(address)
  // waits for a server that is away, as long as that takes
  const connection = {
    ...place,
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => (state.isOver ? null : Math.min(times * 100, 2000)),
    Connector: gatheredConnector(AbstractConnector, place),
  }
  const shared = { connection, prefix }
  return {
    async check(patience) {
      const once = { ...shared, connection: { ...connection, retryStrategy: () => null } }
      const open = () => {
        const queue = new bull.Queue('check', { ...once, skipMetasUpdate: true })
        return answering(queue, async () => (await queue.backend.client).info())
      }
      await untilReached(address.place, open, patience)
    },
    queue: (name) => new bull.Queue<unknown, unknown>(name, shared),
    worker: (name, processor, options) => new bull.Worker<unknown, unknown>(name, processor, { ...options, ...shared }),
    events: (name) => new bull.QueueEvents(name, { ...shared, autorun: false }),
    giveUp() {
      state.isOver = true
    },
  }
}

/** For BullMQ a connection that was closed before anything came is ready too. */
function answering(queue: Contact, ask: () => Promise<unknown>): Contact {
  return {
    async waitUntilReady() {
      await queue.waitUntilReady()
      await ask()
    },
    close: () => queue.close(),
    on: (event, listener) => queue.on(event, listener),
  }
}
