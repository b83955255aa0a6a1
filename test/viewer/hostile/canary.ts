/** A listener on loopback that holds every connection that arrives: what really left the browser, not what it spoke of. */
import { once } from 'node:events'
import { createServer } from 'node:net'

export interface Canary extends AsyncDisposable {
  port: number
  /** The first line of each connection, '' where nothing was sent yet. */
  arrived(): string[]
  /** Until something has arrived. */
  arrival(): Promise<unknown>
}

export async function canary(): Promise<Canary> {
  const said: string[] = []
  const server = createServer((socket) => {
    const place = said.push('') - 1
    server.emit('arrived')
    socket.on('error', () => {})
    socket.on('data', (data) => {
      said[place] ||= `${data}`.split('\r\n')[0] ?? ''
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    port: address.port,
    arrived: () => [...said],
    arrival: async () => said.length > 0 || (await once(server, 'arrived')),
    async [Symbol.asyncDispose]() {
      server.close()
      server.unref()
    },
  }
}
