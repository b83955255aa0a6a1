/** BullMQ's parts over PostgreSQL, in a schema of our own that is made when it is not there. */
import type { QueueAddress } from './address.ts'
import { type Backend, loadBull, prefix } from './backend.ts'
import { postgresConnection } from './connection.ts'
import { type ClientClass, heardClient } from './heard_client.ts'
import { whileAway } from './outage.ts'
import { oneTryMs, untilReached } from './reach.ts'
import { byServerClock } from './server_clock.ts'

export async function postgresBackend(address: QueueAddress): Promise<Backend> {
  const bull = await loadBull('pg')
  const Client = await heardClient()
  const connection = { ...postgresConnection(address), schema: prefix, max: 8, Client }
  const first = { ...connection, connectionTimeoutMillis: oneTryMs }
  const state = { isOver: false }
  const make: typeof bull.createPostgresBackend = (...asked) => {
    const backend = bull.createPostgresBackend(...asked)
    outlast(backend.connection, () => state.isOver)
    listenWith(backend.connection, Client)
    return backend
  }
  return {
    check: (patience) =>
      untilReached(address.place, () => new bull.PostgresConnection({ ...first, migrate: true }), patience),
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
 * A query that meets an outage is asked again, as ioredis does by itself: else BullMQ gives up what it was about, be it a job
 * to be put in, a lock to be renewed or the end of a run. Each of its statements leaves a job that is as it should be already.
 */
function outlast(connection: Connection, isOver: () => boolean): void {
  const { pool } = connection
  const query = pool.query.bind(pool)
  pool.query = (text, params) =>
    whileAway(
      () => query(byServerClock(text), params),
      () => isOver() || connection.isClosing !== undefined,
    )
  // `check` has seen the schema; this look at it would be remembered as failed for ever
  connection.waitUntilReady = () => Promise.resolve()
}

/** The client that BullMQ listens with for jobs is none of its pool's: it makes one by the class that it loaded. */
function listenWith(connection: Connection, Client: ClientClass): void {
  Object.assign(connection, { pgModule: { Client } })
}
