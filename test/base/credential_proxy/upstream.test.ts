/** How the credential proxy reaches the endpoint: over TLS that it verifies, and through the user's own proxy. */
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { connect, type Server as NetServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Duplex } from 'node:stream'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCredentialProxy } from '../../../src/base/credential_proxy/credential_proxy.ts'
import { findUserProxy, proxyBypassEnv } from '../../../src/base/credential_proxy/user_proxy.ts'
import { makeCertificates } from '../../fixtures/certificates.ts'

describe('which proxy of the user is used', () => {
  const both = { HTTPS_PROXY: 'http://secure:1', HTTP_PROXY: 'http://plain:2' }
  test.each<[string, Record<string, string>, string | null]>([
    ['https://api.example', both, 'http://secure:1/'],
    ['http://api.example', both, 'http://plain:2/'],
    ['https://api.example', { https_proxy: 'http://lower:3', ...both }, 'http://lower:3/'],
    ['https://api.example', {}, null],
    ['https://api.example', { HTTPS_PROXY: '' }, null],
    ['https://api.example', { HTTPS_PROXY: 'socks5://other:4' }, null],
    ['https://api.example', { HTTPS_PROXY: 'no address' }, null],
    ['https://localhost:1', both, null],
    ['https://127.0.0.1:1', both, null],
    ['https://[::1]:1', both, null],
    ['https://api.example', { ...both, NO_PROXY: 'other.example, api.example' }, null],
    ['https://api.example', { ...both, no_proxy: '.example' }, null],
    ['https://api.example', { ...both, NO_PROXY: '*.example' }, null],
    ['https://api.example', { ...both, NO_PROXY: '*' }, null],
    ['https://api.example', { ...both, NO_PROXY: 'api.example:443' }, null],
    ['https://api.example', { ...both, NO_PROXY: 'api.example:8443' }, 'http://secure:1/'],
    ['https://api.example', { ...both, NO_PROXY: 'pi.example' }, 'http://secure:1/'],
  ])('%s with %j: %s', (address, env, proxy) => {
    expect(findUserProxy(new URL(address), env)?.href ?? null).toBe(proxy)
  })

  test('the agent reaches loopback without it', () => {
    expect(proxyBypassEnv('127.0.0.1', {})).toEqual({})
    expect(proxyBypassEnv('127.0.0.1', { HTTP_PROXY: 'http://a' })).toMatchObject({ NO_PROXY: '127.0.0.1' })
    const env = { https_proxy: 'http://a', NO_PROXY: 'b.example' }
    expect(proxyBypassEnv('127.0.0.1', env)).toMatchObject({ no_proxy: 'b.example,127.0.0.1' })
  })
})

describe('over TLS', () => {
  let endpoint: Server
  let port = 0
  let ca = ''
  const keys: string[] = []
  /** A CONNECT proxy, and what it was asked. */
  let tunnels: Server
  const asked: string[] = []
  let status = '200 Connection established'

  beforeAll(async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'tls-'))
    const { certificate, key, ca: authority } = makeCertificates(folder)
    ca = authority
    endpoint = createHttpsServer(
      { cert: readFileSync(certificate), key: readFileSync(key) },
      ({ headers, httpVersion }, response) => {
        keys.push(`${headers['x-api-key']} ${headers.host} ${httpVersion}`)
        response.end('over TLS')
      },
    )
    port = await listen(endpoint)
    tunnels = createHttpServer()
    tunnels.on('connect', ({ url, headers }, socket) => {
      asked.push(`${url} ${headers['proxy-authorization'] ?? 'nobody'}`)
      socket.on('error', () => {})
      socket.write(`HTTP/1.1 ${status}\r\n\r\n`)
      if (!status.startsWith('200')) socket.end()
      else socket.pipe(connect(port, '127.0.0.1').on('error', () => {})).pipe(socket)
    })
    await listen(tunnels)
  })
  afterAll(() => {
    for (const server of [endpoint, tunnels]) {
      server.closeAllConnections()
      server.close()
    }
  })

  async function listen(server: NetServer): Promise<number> {
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return portOf(server)
  }

  function portOf(server: NetServer): number {
    const info = server.address()
    return typeof info === 'object' && info !== null ? info.port : 0
  }

  /** Asks through a credential proxy in a process of its own, which trusts as Node does at its start. */
  async function askBy(host: string, userProxy: string | null, env: Record<string, string>): Promise<string> {
    const module = path.join(import.meta.dirname, '../../../dist/src/base/credential_proxy/credential_proxy.js')
    const script = `
      const { openCredentialProxy } = await import(${JSON.stringify(module)})
      const userProxy = ${JSON.stringify(userProxy)}
      const proxy = await openCredentialProxy({
        endpoint: new URL(${JSON.stringify(`https://${host}:${port}`)}),
        userProxy: userProxy && new URL(userProxy),
        keys: new Map([['p', 'real']]),
        allowed: ['GET /'],
      })
      try {
        const answer = await fetch(proxy.url, { headers: { 'x-api-key': 'p' } })
        console.log(answer.status + ' ' + (await answer.text()))
      } catch (error) {
        console.log('failed: ' + error.cause?.code)
      }
      await proxy[Symbol.asyncDispose]()`
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], {
      env: { PATH: process.env.PATH ?? '', ...env },
    })
    return stdout.trim()
  }

  test('the endpoint is trusted by NODE_EXTRA_CA_CERTS, and gets the key', async () => {
    expect(await askBy('localhost', null, { NODE_EXTRA_CA_CERTS: ca })).toBe('200 over TLS')
    expect(keys).toEqual([`real localhost:${port} 1.1`])
  })

  test('one that nobody vouches for gets none, and looks unreachable', async () => {
    keys.length = 0
    expect(await askBy('localhost', null, {})).toMatch(/^failed: (UND_ERR_SOCKET|ECONNRESET)/)
    expect(keys).toEqual([])
  })

  test("through the user's own proxy, whose login it gives", async () => {
    keys.length = 0
    const userProxy = `http://me:p%40ss@127.0.0.1:${portOf(tunnels)}`
    expect(await askBy('localhost', userProxy, { NODE_EXTRA_CA_CERTS: ca })).toBe('200 over TLS')
    expect(asked).toEqual([`localhost:${port} Basic ${Buffer.from('me:p@ss').toString('base64')}`])
    expect(keys).toEqual([`real localhost:${port} 1.1`])
  })

  test('the name in the certificate is checked in the tunnel too', async () => {
    keys.length = 0
    const userProxy = `http://127.0.0.1:${portOf(tunnels)}`
    expect(await askBy('other.example', userProxy, { NODE_EXTRA_CA_CERTS: ca })).toMatch(/^failed/)
    expect(keys).toEqual([])
  })

  test('a proxy that refuses makes the endpoint unreachable', async () => {
    status = '403 Forbidden'
    const userProxy = `http://127.0.0.1:${portOf(tunnels)}`
    expect(await askBy('localhost', userProxy, { NODE_EXTRA_CA_CERTS: ca })).toMatch(/^failed/)
    status = '200 Connection established'
  })

  test('a tunnel that is not there yet ends with its client', async () => {
    const silent = createHttpServer()
    const came = new Promise<Duplex>((resolve) => silent.on('connect', (_, socket) => resolve(socket)))
    const at = await listen(silent)
    const proxy = await openCredentialProxy({
      endpoint: new URL('https://api.example'),
      userProxy: new URL(`http://127.0.0.1:${at}`),
      keys: new Map([['p', 'real']]),
      allowed: ['GET /'],
    })
    const asking = fetch(proxy.url, { headers: { 'x-api-key': 'p' } }).catch(() => 'failed')
    const socket = await came
    const closed = once(socket.resume(), 'end')
    await proxy[Symbol.asyncDispose]()
    await closed
    expect(await asking).toBe('failed')
    silent.close()
  })
})
