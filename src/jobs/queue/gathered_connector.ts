/** Connections to Redis that send together what was written in one turn of the loop. */
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import type { AbstractConnector, RedisOptions } from 'ioredis'
import { holding } from '../../base/gathered.ts'

/** Where to. */
type Place = Pick<RedisOptions, 'host' | 'port' | 'tls'>

/** Milliseconds until a stream that does not end is destroyed; ioredis's own. */
const disconnectMs = 2000

/** For ioredis's option `Connector`. Connects as ioredis does by itself. */
export function gatheredConnector(
  Connector: typeof AbstractConnector,
  place: Place,
): NonNullable<RedisOptions['Connector']> {
  return class extends Connector {
    constructor(_options: unknown) {
      super(disconnectMs)
    }

    /** In the next tick, unless it was told to disconnect by then. */
    override async connect(): Promise<Socket> {
      this.connecting = true
      await new Promise((resolve) => process.nextTick(resolve))
      if (!this.connecting) throw new Error('Connection is closed.')
      const stream = openStream(place)
      this.stream = stream
      stream.once('error', (error) => {
        this.firstError = error
      })
      return gathering(stream)
    }
  }
}

function openStream({ host, port = 6379, tls }: Place): Socket {
  const where = { port, ...(host !== undefined && { host }) }
  return tls ? connectSecurely({ ...where, ...tls }) : connect(where)
}

/** Holds what is written to the stream until this turn of the loop is over. */
function gathering(stream: Socket): Socket {
  const write = stream.write.bind(stream)
  const hold = holding(stream)
  return Object.assign(stream, {
    write(...args: Parameters<typeof write>): boolean {
      hold()
      return write(...args)
    },
  })
}
