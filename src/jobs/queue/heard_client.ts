/** A client of pg whose errors are heard from the beginning. */
import type { Client, ClientConfig } from 'pg'

/** What pg calls at the end of connecting. */
type Connected = (error: Error | null, client: Client) => void

export type ClientClass = new (config?: ClientConfig) => Client

/**
 * A server that goes down says so between two statements, to whoever holds a client: an error that nobody listens to ends the process.
 * BullMQ listens only once a client is connected, which is too late for what comes in the same packet as the last word of
 * connecting. A client that was lost by then never connected.
 */
export async function heardClient(): Promise<ClientClass> {
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
    override connect(done: Connected): void
    override connect(done?: Connected): Promise<Client> | undefined {
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
