/** BullMQ's parts over PostgreSQL, in a schema of our own that is made when it is not there. */
import { type Backend, loadBull, prefix } from './backend.ts'
import { untilReached } from './reach.ts'

export async function postgresBackend(url: string): Promise<Backend> {
  const bull = await loadBull('pg')
  const connection = { connectionString: url, schema: prefix, max: 8 }
  const make = bull.createPostgresBackend
  return {
    async check() {
      const first = new bull.PostgresConnection({ ...connection, migrate: true })
      await untilReached(url, first)
    },
    queue: (name) => new bull.Queue(name, { connection }, make),
    worker: (name, processor, options) => new bull.Worker(name, processor, { ...options, connection }, make),
    events: (name) => new bull.QueueEvents(name, { connection, autorun: false }, make),
  }
}
