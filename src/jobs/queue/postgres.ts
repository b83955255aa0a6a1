/** BullMQ's parts over PostgreSQL, in a schema of our own that is made when it is not there. */
import type { QueueAddress } from './address.ts'
import { type Backend, loadBull, prefix } from './backend.ts'
import { postgresConnection } from './connection.ts'
import { untilReached } from './reach.ts'

export async function postgresBackend(address: QueueAddress): Promise<Backend> {
  const bull = await loadBull('pg')
  const connection = { ...postgresConnection(address), schema: prefix, max: 8 }
  const make = bull.createPostgresBackend
  return {
    async check() {
      const first = new bull.PostgresConnection({ ...connection, migrate: true })
      await untilReached(address.place, first)
    },
    queue: (name) => new bull.Queue(name, { connection }, make),
    worker: (name, processor, options) => new bull.Worker(name, processor, { ...options, connection }, make),
    events: (name) => new bull.QueueEvents(name, { connection, autorun: false }, make),
    giveUp() {}, // a pool connects only when it is asked something
  }
}
