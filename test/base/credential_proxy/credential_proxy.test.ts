/** The credential proxy: the real key in place of a placeholder, towards one endpoint, and all else as it would be without it. */
import { once } from 'node:events'
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as requestHttp,
  type Server,
  type ServerResponse,
} from 'node:http'
import { connect, createServer as createTcpServer } from 'node:net'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type CredentialProxy, openCredentialProxy } from '../../../src/base/credential_proxy/credential_proxy.ts'

const placeholder = 'whetstone-placeholder-1'
const key = 'sk-ant-api03-the-real-one'

interface Asked {
  method: string
  url: string
  headers: IncomingMessage['headers']
  body: Buffer
}

let server: Server
let port = 0
let asked: Asked[] = []
let connections = 0
/** What the endpoint does once the whole request is there. */
let answer: (response: ServerResponse, request: IncomingMessage) => void

beforeEach(async () => {
  asked = []
  connections = 0
  answer = (response) => response.end('here')
  server = createServer(async (request, response) => {
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const { method = '', url = '', headers } = request
    asked.push({ method, url, headers, body: Buffer.concat(parts) })
    answer(response, request)
  })
  server.on('connection', () => {
    connections += 1
  })
  port = await listen(server)
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
})

async function listen(one: ReturnType<typeof createTcpServer>): Promise<number> {
  one.listen(0, '127.0.0.1')
  await once(one, 'listening')
  const info = one.address()
  return typeof info === 'object' && info !== null ? info.port : 0
}

function open(path = '', at = port): Promise<CredentialProxy> {
  return openCredentialProxy({
    endpoint: new URL(`http://127.0.0.1:${at}${path}`),
    userProxy: null,
    keys: new Map([[placeholder, key]]),
  })
}

interface Said {
  status: number
  headers: IncomingMessage['headers']
  raw: string[]
  body: Buffer
}

interface Asking {
  method?: string
  headers?: Record<string, string>
  body?: string | Buffer
  agent?: Agent
}

const signed = { 'x-api-key': placeholder }

/** Rejects where the connection breaks off. */
async function ask(url: string, { body, ...options }: Asking = {}): Promise<Said> {
  const request = requestHttp(url, { agent: false, headers: signed, ...options })
  request.end(body)
  const [response]: [IncomingMessage] = (await once(request, 'response')) as never
  const parts: Buffer[] = []
  for await (const part of response) parts.push(part)
  const { statusCode: status = 0, headers, rawHeaders: raw } = response
  return { status, headers, raw, body: Buffer.concat(parts) }
}

describe('the key', () => {
  test.each([
    ['x-api-key', placeholder, key],
    ['X-Api-Key', placeholder, key],
    ['authorization', `Bearer ${placeholder}`, `Bearer ${key}`],
    ['authorization', `bearer  ${placeholder} `, `bearer  ${key}`],
  ])('%s: %s becomes the real one', async (name, sent, arrived) => {
    await using proxy = await open()
    expect((await ask(`${proxy.url}/v1/messages`, { headers: { [name]: sent } })).status).toBe(200)
    expect(asked[0]?.headers[name.toLowerCase()]).toBe(arrived)
  })

  test.each<[string, Record<string, string>]>([
    ['without any', {}],
    ['with another placeholder', { 'x-api-key': 'whetstone-placeholder-2' }],
    ['with the placeholder in another header', { 'x-other': placeholder }],
    ['with a placeholder and something else', { 'x-api-key': placeholder, authorization: 'Bearer mine' }],
    ['with more than the placeholder', { 'x-api-key': `${placeholder}, ${placeholder}` }],
    ['with the real key, which the agent can only have guessed', { 'x-api-key': key }],
  ])('a request %s is refused, and the endpoint does not hear of it', async (_what, headers) => {
    await using proxy = await open()
    const said = await ask(`${proxy.url}/v1/messages`, { headers })
    expect(said.status).toBe(401)
    expect(JSON.parse(String(said.body))).toMatchObject({ type: 'error', error: { type: 'authentication_error' } })
    expect(asked).toEqual([])
  })

  test('a request that a server may answer with its own headers is refused', async () => {
    await using proxy = await open()
    expect((await ask(proxy.url, { method: 'TRACE' })).status).toBe(401)
    const chunked = { 'x-api-key': placeholder, 'transfer-encoding': 'chunked' }
    expect((await ask(proxy.url, { method: 'HEAD', headers: chunked })).status).toBe(401)
    expect(asked).toEqual([])
  })

  test.each(['GET', 'DELETE', 'OPTIONS', 'POST', 'PUT'])(
    'a body in chunks of a %s stays a body, and is never the next request',
    async (method) => {
      await using proxy = await open()
      const inner = `POST /files HTTP/1.1\r\nhost: x\r\nx-api-key: of-the-agent\r\ncontent-length: 400\r\n\r\n`
      const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1')
      const head = `${method} /v1/models HTTP/1.1\r\nhost: x\r\nx-api-key: ${placeholder}\r\n`
      socket.write(`${head}transfer-encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`)
      await once(socket, 'data')
      socket.end(`GET /v1/last HTTP/1.1\r\nhost: x\r\nx-api-key: ${placeholder}\r\nconnection: close\r\n\r\n`)
      await expect.poll(() => asked.length).toBe(2)
      expect(asked.map((one) => [one.method, one.url, String(one.body)])).toEqual([
        [method, '/v1/models', inner],
        ['GET', '/v1/last', ''],
      ])
      socket.destroy()
    },
  )

  test('its placeholder ends with the proxy', async () => {
    const proxy = await open()
    await proxy[Symbol.asyncDispose]()
    await expect(ask(proxy.url)).rejects.toThrow('ECONNREFUSED')
    await using next = await openCredentialProxy({
      endpoint: new URL(`http://127.0.0.1:${port}`),
      userProxy: null,
      keys: new Map([['whetstone-placeholder-2', key]]),
    })
    expect((await ask(next.url)).status).toBe(401)
  })
})

describe('it leads', () => {
  test.each([
    ['/v1/messages?beta=true', '/base/v1/messages?beta=true'],
    ['/a%20b', '/base/a%20b'],
    ['', '/base'],
  ])('below the path of the endpoint: %j', async (asks, arrives) => {
    await using proxy = await open('/base/')
    expect((await ask(`${proxy.url}${asks}`)).status).toBe(200)
    expect(asked[0]?.url).toBe(arrives)
    expect(asked[0]?.headers.host).toBe(`127.0.0.1:${port}`)
  })

  test.each([
    '/base/../admin',
    '/base/%2e%2e/admin',
    '/base/..%2fadmin',
    '/base/..%5cadmin',
    '/base/..;/admin',
    '/base/%252e%252e%252fadmin',
    '/base/..\\admin',
    '/based',
    '//elsewhere.example/base',
    '/\\elsewhere.example/base',
    'http://elsewhere.example/base',
    '/',
  ])('nowhere else: %s', async (target) => {
    await using proxy = await open('/base')
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(proxy.url).port) })
    socket.write(`GET ${target} HTTP/1.1\r\nhost: x\r\nx-api-key: ${placeholder}\r\nconnection: close\r\n\r\n`)
    let said = ''
    for await (const chunk of socket) said += chunk
    expect(said).toMatch(/^HTTP\/1.1 401/)
    expect(asked).toEqual([])
  })

  test('through no redirection: it goes back to the agent, and no key follows it', async () => {
    const elsewhere: string[] = []
    const other = createServer((request, response) => {
      elsewhere.push(request.url ?? '')
      response.end()
    })
    const location = `http://127.0.0.1:${await listen(other)}/steal`
    answer = (response) => response.writeHead(307, { location }).end()
    await using proxy = await open()
    expect(await ask(proxy.url, { method: 'POST', body: '{}' })).toMatchObject({ status: 307, headers: { location } })
    expect(elsewhere).toEqual([])
    other.close()
  })
})

describe('all else passes unchanged', () => {
  test('headers, a compressed body, an answer with its status, its words and repeated headers', async () => {
    const sent = gzipSync('{"a": 1}')
    const back = gzipSync('{"b": 2}')
    answer = (response) =>
      response
        .writeHead(201, 'Quite Good', [
          ...['Request-Id', 'req_1', 'set-cookie', 'a=1', 'set-cookie', 'b=2', 'content-encoding', 'gzip'],
          ...['content-length', String(back.length)],
        ])
        .end(back)
    await using proxy = await open()
    const headers = {
      ...signed,
      'anthropic-beta': 'one,two',
      'content-encoding': 'gzip',
      'content-length': `${sent.length}`,
    }
    const said = await ask(`${proxy.url}/v1/messages`, { method: 'POST', headers, body: sent })
    expect(asked[0]).toMatchObject({ method: 'POST', body: sent })
    expect(asked[0]?.headers).toMatchObject({ 'anthropic-beta': 'one,two', 'content-length': `${sent.length}` })
    expect(asked[0]?.headers).not.toHaveProperty('transfer-encoding')
    expect(said).toMatchObject({ status: 201, headers: { 'set-cookie': ['a=1', 'b=2'] } })
    expect(said.raw).toContain('Request-Id')
    expect(said.raw.filter((name) => name.toLowerCase() === 'date')).toHaveLength(1)
    expect(String(gunzipSync(said.body))).toBe('{"b": 2}')
  })

  test('a refusal with what it says of the limits', async () => {
    const limits = { 'retry-after': '7', 'anthropic-ratelimit-requests-remaining': '0' }
    answer = (response) => response.writeHead(429, limits).end('{"type":"error"}')
    await using proxy = await open()
    expect(await ask(proxy.url, { method: 'POST', body: '{}' })).toMatchObject({ status: 429, headers: limits })
  })

  test('a large body both ways', async () => {
    const large = Buffer.alloc(8 * 2 ** 20, 'x')
    answer = (response) => response.end(large)
    await using proxy = await open()
    const said = await ask(proxy.url, { method: 'POST', body: large })
    expect(asked[0]?.body.equals(large)).toBe(true)
    expect(said.body.equals(large)).toBe(true)
  })

  test('one connection serves several requests, and its end is passed on', async () => {
    await using proxy = await open()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    for (let turn = 0; turn < 3; turn += 1) expect((await ask(proxy.url, { agent })).status).toBe(200)
    expect(connections).toBe(1)
    const [socket] = Object.values(agent.freeSockets).flat()
    if (socket === undefined) throw new Error('the connection is not kept')
    const closed = once(socket, 'close')
    server.closeIdleConnections()
    await closed
    agent.destroy()
  })
})

describe('a stream', () => {
  test('arrives event by event', async () => {
    const written: (() => void)[] = []
    answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders()
      const events = ['one', 'two', 'three']
      const next = () => {
        const event = events.shift()
        if (event === undefined) response.end()
        else response.write(`data: ${event}\n\n`)
      }
      written.push(next)
    }
    await using proxy = await open()
    const request = requestHttp(proxy.url, { agent: false, headers: signed }).end()
    const [response]: [IncomingMessage] = (await once(request, 'response')) as never
    // headers are here, and nothing was written yet; each event comes before the next one is written
    for (const event of ['one', 'two', 'three']) {
      written[0]?.()
      const [chunk] = await once(response, 'data')
      expect(String(chunk)).toBe(`data: ${event}\n\n`)
    }
    written[0]?.()
    await once(response, 'end')
    expect(response.complete).toBe(true)
  })

  test('that breaks off breaks off', async () => {
    answer = (response, request) => {
      response.writeHead(200).write('data: one\n\n')
      setImmediate(() => request.socket.destroy())
    }
    await using proxy = await open()
    await expect(ask(proxy.url)).rejects.toThrow('aborted')
  })

  test('that the agent leaves is left', async () => {
    const left = new Promise<void>((resolve) => {
      answer = (response) => {
        response.writeHead(200).write('data: one\n\n')
        response.once('close', () => resolve())
      }
    })
    await using proxy = await open()
    const request = requestHttp(proxy.url, { agent: false, headers: signed }).end()
    await once(request, 'response')
    request.destroy()
    await left
  })

  test('is not read faster than the agent reads', async () => {
    let sent = 0
    answer = (response) => {
      const write = () => {
        while (sent < 2 ** 28 && response.write(Buffer.alloc(2 ** 16))) sent += 2 ** 16
      }
      response.on('drain', write)
      write()
    }
    await using proxy = await open()
    const request = requestHttp(proxy.url, { agent: false, headers: signed }).end()
    await once(request, 'response') // and nobody reads
    let before = -1
    await vi.waitFor(
      () => {
        const now = sent
        const isStill = now === before
        before = now
        expect(isStill).toBe(true)
      },
      { interval: 300, timeout: 10_000 },
    )
    expect(sent).toBeLessThan(2 ** 26)
    request.destroy()
  })
})

describe('an endpoint', () => {
  test('that refuses connections is one that breaks them off', async () => {
    const gone = createTcpServer()
    const at = await listen(gone)
    await new Promise((resolve) => gone.close(resolve))
    await using proxy = await open('', at)
    expect(proxy.unreachable).toBeNull()
    await expect(ask(proxy.url)).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect(proxy.unreachable).toContain('ECONNREFUSED')
  })

  test('that breaks off before it answers', async () => {
    answer = (_, request) => request.socket.destroy()
    await using proxy = await open()
    await expect(ask(proxy.url)).rejects.toThrow(/socket hang up|ECONNRESET/)
    expect(proxy.unreachable).toBeNull()
  })

  test('is not asked with a key that no header can carry', async () => {
    const keys = new Map([[placeholder, 'two\nlines']])
    await using proxy = await openCredentialProxy({
      ...{ endpoint: new URL(`http://127.0.0.1:${port}`), userProxy: null, keys },
    })
    expect((await ask(proxy.url)).status).toBe(401)
    expect(asked).toEqual([])
  })

  test('that ends the connection with its answer', async () => {
    answer = (response) => response.writeHead(200, { connection: 'close' }).end('last')
    await using proxy = await open()
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const said = await ask(proxy.url, { agent })
    expect(said.headers.connection).toBe('close')
    expect(String(said.body)).toBe('last')
    agent.destroy()
  })
})
