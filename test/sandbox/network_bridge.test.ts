/** The bridge leads to the endpoints and nowhere else. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Bridge, openBridge } from '../../src/base/sandbox/network_bridge.ts'
import { planRoutes } from '../../src/base/sandbox/network_routes.ts'
import { serveHttp } from '../engines/stage.ts'

let server: Server
let port = 0
const asked: string[] = []
beforeEach(async () => {
  asked.length = 0
  const opened = await serveHttp((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    response.end('here')
  })
  server = opened.server
  server.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url}`)
    socket.end('HTTP/1.1 200 OK\r\n\r\nthrough the upstream')
  })
  port = Number(new URL(opened.url).port)
  return () => opened[Symbol.asyncDispose]()
})

/** What comes back on a connection to the bridge's first route after saying this. */
async function say(bridge: Bridge, text: string): Promise<string> {
  const socket = connect({ path: bridge.sockets[0]?.path ?? '' })
  socket.setEncoding('utf8').write(text)
  let said = ''
  for await (const chunk of socket) said += chunk
  return said
}

const get = (target: string) => `GET ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n`
const tunnel = (host: string) => `CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n\r\n`

describe('routes', () => {
  test('a loopback endpoint keeps its port, all others share a proxy', () => {
    const { routes, env } = planRoutes([
      'http://127.0.0.1:4567/v1',
      'https://api.anthropic.com',
      'http://gate.example:8080',
    ])
    const allowed = [
      { host: 'api.anthropic.com', port: 443 },
      { host: 'gate.example', port: 8080 },
    ]
    expect(routes).toEqual([
      { kind: 'direct', port: 4567, host: '127.0.0.1' },
      { kind: 'proxy', port: 3128, allowed },
    ])
    expect(env).toMatchObject({ HTTPS_PROXY: 'http://127.0.0.1:3128', NO_PROXY: 'localhost,127.0.0.1,::1' })
  })
  test('what is no address leads nowhere; a proxy of the user is not known inside', () => {
    expect(planRoutes(['not an address'])).toMatchObject({ routes: [], env: { HTTPS_PROXY: '' } })
  })
})

test('a loopback endpoint is reached as it is', async () => {
  const { routes } = planRoutes([`http://127.0.0.1:${port}`])
  await using bridge = await openBridge({ routes, upstream: null })
  expect(await say(bridge, get('/v1/messages'))).toMatch(/200 OK[\s\S]*here/)
  expect(asked).toEqual(['GET /v1/messages'])
})

test('its end ends open connections and leaves no socket', async () => {
  const bridge = await openBridge({ routes: planRoutes([`http://127.0.0.1:${port}`]).routes, upstream: null })
  const said = say(bridge, 'GET / HTTP/1.1\r\nhost: x\r\n\r\n').catch(() => '')
  await expect.poll(() => asked).toHaveLength(1)
  await bridge[Symbol.asyncDispose]()
  await said
  expect(existsSync(bridge.sockets[0]?.path ?? '')).toBe(false)
})

describe('the proxy', () => {
  const routes = (host: string) => [{ kind: 'proxy', port: 3128, allowed: [{ host, port }] } as const]

  test.each([
    ['a tunnel', () => tunnel(`127.0.0.1:${port}`) + get('/a'), 'GET /a'],
    ['a plain request', () => get(`http://127.0.0.1:${port}/b`), `GET http://127.0.0.1:`],
  ])('lets %s to the endpoint through', async (_what, words, arrived) => {
    await using bridge = await openBridge({ routes: routes('127.0.0.1'), upstream: null })
    expect(await say(bridge, words())).toContain('here')
    expect(asked[0]).toContain(arrived)
  })

  test.each([
    ['another host', () => tunnel(`localhost:${port}`)],
    ['another port', () => tunnel('127.0.0.1:1')],
    ['a host that begins alike', () => tunnel(`127.0.0.1.example:${port}`)],
    ['a user in the address', () => tunnel(`127.0.0.1:${port}@localhost:${port}`)],
    ['a plain request elsewhere', () => get(`http://localhost:${port}/`)],
    ['no address', () => get('/')],
  ])('refuses %s', async (_what, words) => {
    await using bridge = await openBridge({ routes: routes('127.0.0.1'), upstream: null })
    expect(await say(bridge, words())).toMatch(/^HTTP\/1.1 403/)
    expect(asked).toEqual([])
  })

  test("goes through the user's own proxy, which is asked for the endpoint only", async () => {
    const upstream = `http://127.0.0.1:${port}`
    await using bridge = await openBridge({ routes: routes('api.example'), upstream })
    expect(await say(bridge, tunnel(`api.example:${port}`))).toContain('through the upstream')
    expect(await say(bridge, tunnel(`other.example:${port}`))).toMatch(/^HTTP\/1.1 403/)
    expect(asked).toEqual([`CONNECT api.example:${port}`])
  })

  test('nothing that follows on the same connection reaches another host through it', async () => {
    // an upstream that refuses a tunnel and goes on listening, as they do
    server.removeAllListeners('connect')
    server.on('connect', (request, socket, more) => {
      asked.push(`CONNECT ${request.url}`, String(more))
      socket.end('HTTP/1.1 503 No\r\ncontent-length: 0\r\n\r\n')
    })
    const upstream = `http://127.0.0.1:${port}`
    await using bridge = await openBridge({ routes: routes('api.example'), upstream })
    const first = {
      tunnel: tunnel(`api.example:${port}`),
      plain: `GET http://api.example:${port}/ HTTP/1.1\r\nhost: api.example\r\n\r\n`,
    }
    for (const words of [first.tunnel, first.plain]) {
      const said = await say(bridge, words + get('http://other.example/')).catch(() => '')
      expect(said).not.toContain('here')
    }
    expect(asked.filter((one) => /other\.example/.test(one))).toEqual([])
  })

  test('what the inside says to a proxy is not passed on', async () => {
    const heads: unknown[] = []
    server.prependListener('connect', (request) => void heads.push(request.headers))
    const upstream = `http://127.0.0.1:${port}`
    await using bridge = await openBridge({ routes: routes('api.example'), upstream })
    const words = `CONNECT api.example:${port} HTTP/1.1\r\nhost: x\r\nproxy-authorization: Basic eDp5\r\n\r\n`
    expect(await say(bridge, words)).toContain('through the upstream')
    expect(heads).toEqual([{ host: `api.example:${port}` }])
  })

  test('ends a head without end', async () => {
    await using bridge = await openBridge({ routes: routes('127.0.0.1'), upstream: null })
    expect(await say(bridge, 'x'.repeat(100_000)).catch(() => '')).toBe('')
  })
})

// Codex ends at the first large output if its stdout is non-blocking: the inner end shares it with the program
test.runIf(process.platform === 'linux')('the inner end leaves the stdout of the program blocking', async () => {
  const forwarder = path.join(import.meta.dirname, '../../src/base/sandbox/forward.mjs')
  const inner = await serveHttp((_request, response) => response.end())
  const free = Number(new URL(inner.url).port)
  await inner[Symbol.asyncDispose]()
  await using bridge = await openBridge({ routes: [{ kind: 'direct', port, host: '127.0.0.1' }], upstream: null })
  const sockets = bridge.sockets.map((one) => ({ port: free, path: one.path }))
  const asks = `require('node:http').get('http://127.0.0.1:${free}/', (r) => r.resume().on('end', () => {
    require('node:fs').writeSync(1, require('node:fs').readFileSync('/proc/self/fdinfo/1'))
  }))`
  const child = spawn(process.execPath, [forwarder, JSON.stringify(sockets), process.execPath, '-e', asks])
  const [said] = await Promise.all([text(child.stdout), once(child, 'close')])
  const flags = Number.parseInt(/flags:\s*(\d+)/.exec(said)?.[1] ?? '', 8)
  expect(asked).toEqual(['GET /'])
  expect(flags & 0o4000).toBe(0)
})
