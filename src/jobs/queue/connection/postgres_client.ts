/** A pg client that handles errors from the beginning. */
import type { Client, ClientConfig } from 'pg'

/** The callback of pg's connect. */
type ConnectCallback = (error: Error | null, client: Client) => void

export type ClientClass = new (config?: ClientConfig) => Client

/**
 * A server that shuts down sends an error between two statements, and an unhandled error ends the process. BullMQ adds its listener only
 * after connecting, which is too late for an error in the same packet as the end of connecting. A client that is lost by then counts as
 * never connected.
 */
export async function loadHeardClient(): Promise<ClientClass> {
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
