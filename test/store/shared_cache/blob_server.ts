/** A server with plain GET and PUT on loopback, as a remote cache is, and what may go wrong with one. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'

export interface BlobServer extends AsyncDisposable {
  url: string
  /** By name; change it to change what the server has. */
  blobs: Map<string, Buffer>
  /** Method, path and Authorization of each request. */
  asked: string[]
}

/** `answer`: handles a request in place of the usual answer when it returns true. */
export async function startBlobServer(
  answer: (request: IncomingMessage, response: ServerResponse) => boolean = () => false,
): Promise<BlobServer> {
  const blobs = new Map<string, Buffer>()
  const asked: string[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    asked.push([method, url, headers.authorization].filter(Boolean).join(' '))
    if (answer(request, response)) return
    const name = url.slice('/cache/'.length)
    if (method === 'PUT') blobs.set(name, await buffer(request))
    const found = blobs.get(name)
    response.writeHead(found === undefined ? 404 : 200).end(method === 'GET' ? found : undefined)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const at = server.address()
  if (at === null || typeof at === 'string') throw new Error('no port')
  return {
    ...{ url: `http://127.0.0.1:${at.port}/cache`, blobs, asked },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
