/** BullMQ's parts over Redis or Valkey. */
import type { QueueAddress } from './address.ts'
import { type Backend, loadBull, queuePrefix } from './backend.ts'
import { redisConnection } from './connection/connection.ts'
import { type Contact, waitUntilReachable } from './connection/first_contact.ts'

export async function redisBackend(address: QueueAddress): Promise<Backend> {
  const bull = await loadBull('ioredis')
  const state = { isOver: false }
  // waits for an unavailable server as long as necessary
  const connection = {
    ...redisConnection(address),
    maxRetriesPerRequest: null,
    retryStrategy: (times: number) => (state.isOver ? null : Math.min(times * 100, 2000)),
  }
  const shared = { connection, prefix: queuePrefix }
  return {
    async check(patience) {
      const once = { ...shared, connection: { ...connection, retryStrategy: () => null } }
      const open = () => {
        const queue = new bull.Queue('check', { ...once, skipMetasUpdate: true })
        return requireAnswer(queue, async () => (await queue.backend.client).info())
      }
      await waitUntilReachable(address.place, open, patience)
    },
    queue: (name) => new bull.Queue<unknown, unknown>(name, shared),
    worker: (name, processor, options) => new bull.Worker<unknown, unknown>(name, processor, { ...options, ...shared }),
    events: (name) => new bull.QueueEvents(name, { ...shared, autorun: false }),
    giveUp() {
      state.isOver = true
    },
  }
}

/** BullMQ also reports a connection as ready that closed before any answer. */
function requireAnswer(queue: Contact, ask: () => Promise<unknown>): Contact {
  return {
    async waitUntilReady() {
      await queue.waitUntilReady()
      await ask()
    },
    close: () => queue.close(),
    on: (event, listener) => queue.on(event, listener),
  }
}
