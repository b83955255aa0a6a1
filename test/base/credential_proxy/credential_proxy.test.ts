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
import type { AllowedRequest } from '../../../src/base/credential_proxy/allowed_requests.ts'
import {
  type CredentialProxy,
  type CredentialProxyRequest,
  openCredentialProxy,
} from '../../../src/base/credential_proxy/credential_proxy.ts'
import type { ForwardedExchange } from '../../../src/base/credential_proxy/exchange_record.ts'
import { mostConnections } from '../../../src/base/http/proxy_forwarder.ts'

const placeholder = 'placeholder-1'
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
    try {
      for await (const part of request) parts.push(part)
    } catch {
      return // it broke off
    }
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

const allowed: readonly AllowedRequest[] = [
  'GET /',
  'POST /',
  'GET /v1/messages',
  'POST /v1/messages',
  'GET /v1/models',
  'GET /v1/models/:model',
  'POST /v1beta/models/:model:generateContent',
]

function open(path = '', at = port, more: Partial<CredentialProxyRequest> = {}): Promise<CredentialProxy> {
  return openCredentialProxy({
    endpoint: new URL(`http://127.0.0.1:${at}${path}`),
    userProxy: null,
    keys: new Map([[placeholder, key]]),
    allowed,
    ...more,
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

test('it takes so many connections at once, and then no more', async () => {
  await using proxy = await open()
  const { port: at } = new URL(proxy.url)
  const sockets = Array.from({ length: mostConnections + 20 }, () => connect(Number(at), '127.0.0.1'))
  await vi.waitFor(() => expect(sockets.filter(({ destroyed }) => destroyed)).toHaveLength(20))
  for (const one of sockets) one.destroy()
  await vi.waitFor(async () => expect((await ask(`${proxy.url}/v1/messages`)).status).toBe(200))
})

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
    ['with another placeholder', { 'x-api-key': 'placeholder-2' }],
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

  test.each(['GET', 'POST'])('a body in chunks of a %s stays a body, and is never the next request', async (method) => {
    await using proxy = await open()
    const inner = `POST /files HTTP/1.1\r\nhost: x\r\nx-api-key: of-the-agent\r\ncontent-length: 400\r\n\r\n`
    const socket = connect(Number(new URL(proxy.url).port), '127.0.0.1')
    const head = `${method} /v1/messages HTTP/1.1\r\nhost: x\r\nx-api-key: ${placeholder}\r\n`
    socket.write(`${head}transfer-encoding: chunked\r\n\r\n${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`)
    await once(socket, 'data')
    socket.end(`GET /v1/models HTTP/1.1\r\nhost: x\r\nx-api-key: ${placeholder}\r\nconnection: close\r\n\r\n`)
    await expect.poll(() => asked.length).toBe(2)
    expect(asked.map((one) => [one.method, one.url, String(one.body)])).toEqual([
      [method, '/v1/messages', inner],
      ['GET', '/v1/models', ''],
    ])
    socket.destroy()
  })

  test('its placeholder ends with the proxy', async () => {
    const proxy = await open()
    await proxy[Symbol.asyncDispose]()
    await expect(ask(proxy.url)).rejects.toThrow('ECONNREFUSED')
    await using next = await open('', port, { keys: new Map([['placeholder-2', key]]) })
    expect((await ask(next.url)).status).toBe(401)
  })
})

describe('it forwards', () => {
  test.each([
    ['GET /v1/messages?beta=true', '/base/v1/messages?beta=true'],
    ['POST /v1/messages', '/base/v1/messages'],
    ['GET /v1/./models', '/base/v1/models'],
    ['GET /v1/models/claude-x.5', '/base/v1/models/claude-x.5'],
    ['GET /v1/models/org%2Fname%3A8b', '/base/v1/models/org%2Fname%3A8b'],
    [
      'POST /v1beta/models/gemini-2.5-pro:generateContent?alt=sse',
      '/base/v1beta/models/gemini-2.5-pro:generateContent?alt=sse',
    ],
  ])('what is allowed below the path of the endpoint, with the key: %s', async (request, arrives) => {
    const [method = '', target = ''] = request.split(' ')
    await using proxy = await open('/base/')
    expect((await ask(`${proxy.url}${target}`, { method })).status).toBe(200)
    expect(asked).toMatchObject([{ method, url: arrives }])
    expect(asked[0]?.headers).toMatchObject({ host: `127.0.0.1:${port}`, 'x-api-key': key })
  })

  test.each([
    ...[
      'DELETE /base/v1/files/x',
      'GET /base/v1/organizations/me',
      'POST /base/v1/files',
      'POST /base/v1/messages/batches',
    ],
    ...['DELETE /base/v1/messages', 'PUT /base/v1/messages', 'PATCH /base/v1/messages', 'POST /base/v1/models'],
    ...['OPTIONS /base/v1/messages', 'HEAD /base/v1/messages', 'TRACE /base/v1/messages'],
    ...['POST /base/v1/messages/', 'POST /base/v1//messages', 'POST //base/v1/messages', 'POST /base/V1/messages'],
    ...['POST /base/v1/messages;x', 'POST /base/v1/messages%2fbatches', 'POST /base/v1/%6dessages', 'POST /base'],
    ...['GET /base/v1/../v1/files', 'GET /base/v1/models/../files', 'GET /base/v1/models/%2e%2e/files'],
    ...['GET /base/v1/models/..%2ffiles', 'GET /base/v1/models/x/files', 'GET /base/v1/models/x%3Ffiles'],
    ...['POST /base/v1beta/models/x:batchGenerateContent', 'POST /base/v1beta/models/x:generateContent/y'],
    ...['POST /base/v1/messages?_method=DELETE', 'POST /base/v1/messages?x=1&X-HTTP-Method-Override=DELETE'],
    'POST /base/v1/messages?api_base=http://elsewhere.example',
    ...['GET /base/../admin', 'GET /base/%2e%2e/admin', 'GET /base/..%2fadmin', 'GET /base/..%5cadmin'],
    ...['GET /base/..;/admin', 'GET /base/%252e%252e%252fadmin', 'GET /base/..\\admin', 'GET /based', 'GET /'],
    ...['GET //elsewhere.example/base', 'GET /\\elsewhere.example/base', 'GET http://elsewhere.example/base/v1/models'],
  ])('nothing else: %s', async (request) => {
    const refused: string[] = []
    await using proxy = await open('/base', port, { onRefused: (one) => refused.push(one) })
    const said = await askRaw(proxy, request)
    expect(said).toMatch(/^HTTP\/1.1 403/)
    if (!request.startsWith('HEAD')) {
      expect(JSON.parse(said.slice(said.indexOf('{')))).toMatchObject({
        type: 'error',
        error: {
          type: 'permission_error',
          code: 403,
          message: expect.stringMatching(/^Whetstone's credential proxy forwards only .*POST \/v1\/messages/),
        },
      })
    }
    expect(asked).toEqual([])
    expect(refused).toEqual([request])
  })

  test.each([
    'x-http-method-override: DELETE',
    'X-HTTP-Method: DELETE',
    'x-original-url: /v1/files',
    'x-forwarded-host: x',
    ...['X_HTTP_METHOD_OVERRIDE: DELETE', 'x-envoy-original-path: /v1/files', 'x-portkey-custom-host: http://x'],
    ...['helicone-target-url: http://x', 'cf-aig-custom-host: x', 'helicone-openai-api-base: http://x'],
  ])('no request that asks a server or gateway for another one: %s', async (header) => {
    await using proxy = await open()
    expect(await askRaw(proxy, 'POST /v1/messages', header)).toMatch(/^HTTP\/1.1 403/)
    expect(asked).toEqual([])
  })

  test('a header that only looks alike is passed on', async () => {
    await using proxy = await open()
    const alike = 'x-stainless-helper-method: stream\r\nanthropic-dangerous-direct-browser-access: true\r\nx-app: cli'
    expect(await askRaw(proxy, 'POST /v1/messages', alike)).toMatch(/^HTTP\/1.1 200/)
    expect(asked[0]?.headers).toMatchObject({ 'x-stainless-helper-method': 'stream' })
  })

  test('neither tunnels nor other protocols', async () => {
    await using proxy = await open()
    await askRaw(proxy, 'CONNECT elsewhere.example:443').catch(() => {})
    expect(asked).toEqual([])
    await askRaw(proxy, 'GET /v1/models', 'connection: close, upgrade\r\nupgrade: websocket')
    expect(asked).toHaveLength(1)
    expect(asked[0]?.headers).not.toHaveProperty('upgrade')
  })

  /** Sends the target exactly as it is. */
  async function askRaw(proxy: CredentialProxy, request: string, header = 'connection: close'): Promise<string> {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(proxy.url).port) })
    const ends = header.includes('connection:') ? '' : 'connection: close\r\n'
    socket.write(`${request} HTTP/1.1\r\nhost: x\r\nx-api-key: ${placeholder}\r\n${header}\r\n${ends}\r\n`)
    let said = ''
    for await (const chunk of socket) said += chunk
    return said
  }

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

describe('of each request it shows', () => {
  function openWatched() {
    const seen: [string, ForwardedExchange['end'], string][] = []
    const onForwarded = (request: string) => (exchange: ForwardedExchange) =>
      void seen.push([request, exchange.end, String(exchange.body)])
    return { seen, opening: open('', port, { onForwarded }) }
  }

  test('the response, which it asks for without compression', async () => {
    const { seen, opening } = openWatched()
    await using proxy = await opening
    const headers = { ...signed, 'accept-encoding': 'gzip, zstd' }
    expect(String((await ask(`${proxy.url}/v1/messages`, { method: 'POST', headers, body: '{}' })).body)).toBe('here')
    expect(seen).toEqual([['POST /v1/messages', 'whole', 'here']])
    expect(asked[0]?.headers['accept-encoding']).toBe('identity')
  })

  test('that the agent did not send it whole: then the endpoint could not answer', async () => {
    const { seen, opening } = openWatched()
    await using proxy = await opening
    const headers = { ...signed, 'content-length': '500' }
    const request = requestHttp(`${proxy.url}/v1/messages`, { method: 'POST', agent: false, headers })
    request.on('error', () => {}).write('x')
    await vi.waitFor(() => expect(connections).toBe(1))
    request.destroy()
    await vi.waitFor(() => expect(seen.map(([, end]) => end)).toEqual(['cut']))
  })

  test('what came of one that the endpoint or the agent breaks off', async () => {
    const { seen, opening } = openWatched()
    await using proxy = await opening
    answer = (response, request) => {
      response.writeHead(200).write('part')
      setImmediate(() => request.socket.destroy())
    }
    await expect(ask(proxy.url)).rejects.toThrow('aborted')
    expect(seen).toEqual([['GET /', 'broken', 'part']])
    answer = (response) => response.writeHead(200).write('begun')
    const request = requestHttp(proxy.url, { agent: false, headers: signed }).end()
    const [response]: [IncomingMessage] = (await once(request, 'response')) as never
    await once(response, 'data')
    request.destroy()
    await expect.poll(() => seen.length).toBe(2)
    expect(seen[1]).toEqual(['GET /', 'dropped', 'begun'])
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
    await using proxy = await open('', port, { keys: new Map([[placeholder, 'two\nlines']]) })
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
