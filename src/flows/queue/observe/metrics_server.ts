/** Serves a worker's metrics and health to scrapers. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { errorMessage, UserError } from '../../../base/errors/error.ts'
import type { WorkerMetrics } from './metrics.ts'

export interface MetricsServer extends AsyncDisposable {
  url: string
}

/** GET /metrics and /healthz. Port 0: a free one. Throws UserError where it can't listen. */
export async function serveMetrics(metrics: WorkerMetrics, at: { host: string; port: number }): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    answer(`${request.method} ${request.url?.split('?')[0]}`, response, metrics).catch((error: unknown) => {
      response.writeHead(500).end(errorMessage(error))
    })
  })
  server.listen(at.port, at.host)
  await once(server, 'listening').catch((error: unknown) => {
    throw new UserError(`--metrics-port ${at.port}: ${errorMessage(error)}`, 'choose another port')
  })
  server.unref()
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : at.port
  return {
    url: `http://${at.host.includes(':') ? `[${at.host}]` : at.host}:${port}/metrics`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function answer(asked: string, response: ServerResponse, metrics: WorkerMetrics): Promise<void> {
  if (asked === 'GET /healthz') response.writeHead(200, { 'content-type': 'text/plain' }).end('ok\n')
  else if (asked !== 'GET /metrics') response.writeHead(404).end()
  else {
    const text = await metrics.text()
    response.writeHead(200, { 'content-type': metrics.contentType }).end(text)
  }
}
