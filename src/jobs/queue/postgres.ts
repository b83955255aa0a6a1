/** BullMQ's parts over PostgreSQL, in a schema of Whetstone's own that is created on demand. */
import type { QueueAddress } from './address.ts'
import { type Backend, loadBull, queuePrefix } from './backend.ts'
import { postgresConnection } from './connection/connection.ts'
import { oneTryMs, waitUntilReachable } from './connection/first_contact.ts'
import { retryDuringOutage } from './connection/outage.ts'
import { type ClientClass, loadHeardClient } from './connection/postgres_client.ts'
import { useServerClock } from './connection/server_clock.ts'

export async function postgresBackend(address: QueueAddress): Promise<Backend> {
  const bull = await loadBull('pg')
  const Client = await loadHeardClient()
  const connection = { ...postgresConnection(address), schema: queuePrefix, max: 8, Client }
  const first = { ...connection, connectionTimeoutMillis: oneTryMs }
  const state = { isOver: false }
  const make: typeof bull.createPostgresBackend = (...asked) => {
    const backend = bull.createPostgresBackend(...asked)
    outlast(backend.connection, () => state.isOver)
    setListenClient(backend.connection, Client)
    return backend
  }
  return {
    check: (patience) =>
      waitUntilReachable(address.place, () => new bull.PostgresConnection({ ...first, migrate: true }), patience),
    queue: (name) => new bull.Queue(name, { connection }, make),
    worker: (name, processor, options) => new bull.Worker(name, processor, { ...options, connection }, make),
    events: (name) => new bull.QueueEvents(name, { connection, autorun: false }, make),
    giveUp() {
      state.isOver = true
    },
  }
}

type Connection = InstanceType<Awaited<ReturnType<typeof loadBull>>['PostgresConnection']>

/**
 * Repeats a query that meets an outage, as ioredis does by itself: otherwise BullMQ would give up adding a job, renewing a lock or
 * ending a run. Each of its statements leaves a job unchanged that is already in the right state.
 */
function outlast(connection: Connection, isOver: () => boolean): void {
  const { pool } = connection
  const query = pool.query.bind(pool)
  pool.query = (text, params) =>
    retryDuringOutage(
      () => query(useServerClock(text), params),
      () => isOver() || connection.isClosing !== undefined,
    )
  // `check` has verified the schema; a failed check here would be remembered for ever
  connection.waitUntilReady = () => Promise.resolve()
}

/** BullMQ listens for jobs with a client outside of its pool, created from the class that it loaded. */
function setListenClient(connection: Connection, Client: ClientClass): void {
  Object.assign(connection, { pgModule: { Client } })
}
