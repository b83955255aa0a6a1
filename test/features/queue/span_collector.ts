/** A server that collects the spans it is sent, as OTLP in JSON. */
import { once } from 'node:events'
import { createServer } from 'node:http'

interface Attribute {
  key: string
  value: Record<string, unknown>
}

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Attribute[]
  status: { code: number; message?: string }
}

/** `requests`: the paths that were asked for; `resources`: the attributes of who sent each batch. */
export async function startCollector() {
  const spans: Span[] = []
  const requests: string[] = []
  const resources: Record<string, unknown>[] = []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const part of request) body += String(part)
    requests.push(request.url ?? '')
    for (const { resource, scopeSpans } of JSON.parse(body).resourceSpans) {
      resources.push(valuesOf(resource.attributes))
      for (const one of scopeSpans) spans.push(...one.spans)
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const close = async () => void server.close()
  return { spans, requests, resources, url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: close }
}

/** Attributes by name, without their types. */
export const valuesOf = (attributes: readonly Attribute[] = []) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
