/** BullMQ's parts over PostgreSQL, in a schema of Whetstone's own that is created on demand. */
import type { Client, ClientConfig } from 'pg'
import { postgresConnection, type QueueAddress } from './address.ts'
import { type Backend, loadBull, queuePrefix } from './backend.ts'
import { oneTryMs, waitUntilReachable } from './first_contact.ts'
import { retryDuringOutage } from './outage.ts'

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

const servers = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

/** A statement of BullMQ with the server's time instead of its time parameter, which the statement marks with `now_ms`. */
function useServerClock(statement: string): string {
  const given = /\$\d+(?= now_ms)/.exec(statement)?.[0]
  if (given === undefined) return statement
  const one = new RegExp(`\\${given}(?!\\d)`, 'g')
  return statement
    .split('\n')
    .map((line) => (line.startsWith('--') ? line : line.replace(one, `COALESCE(${servers}, ${given})`)))
    .join('\n')
}

type ConnectCallback = (error: Error | null, client: Client) => void

type ClientClass = new (config?: ClientConfig) => Client

/**
 * A server that shuts down sends an error between two statements, and an unhandled error ends the process. BullMQ adds its listener only
 * after connecting, which is too late for an error in the same packet as the end of connecting. A client that is lost by then counts as
 * never connected.
 */
async function loadHeardClient(): Promise<ClientClass> {
  const { default: pg } = await import('pg')
  return class extends pg.Client {
    #lost: Error | null = null

    constructor(config?: ClientConfig) {
      super(config)
      this.on('error', (error) => {
        this.#lost ??= error
      })
    }

    override connect(): Promise<Client>
    override connect(done: ConnectCallback): void
    override connect(done?: ConnectCallback): Promise<Client> | undefined {
      const connecting = super.connect().then(() => {
        if (this.#lost !== null) throw this.#lost
        return this
      })
      if (done === undefined) return connecting
      connecting.then(
        () => done(null, this),
        (error: Error) => done(error, this),
      )
      return undefined
    }
  }
}
