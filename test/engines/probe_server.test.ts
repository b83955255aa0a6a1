/** The look at a server before the first run: no SDK is loaded for it, and the server sees what a run will send. */
import { readFileSync } from 'node:fs'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener } from 'node:http'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { askServer } from '../../src/engines/answers/ask_server.ts'
import { findEngine } from '../../src/engines/table.ts'
import { serveHttp, stageOfEachTest } from './stage.ts'

const source = path.join(import.meta.dirname, '../../src')

/** Every package that a file needs as soon as it is loaded. */
function packagesOf(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return []
  seen.add(file)
  const found = readFileSync(file, 'utf8').matchAll(
    /^(?:import|export) (?!type )[\w*, ]*(?:\{[^}]*\} )?(?:from )?'([^']+)'/gm,
  )
  return [...found].flatMap(([, name = '']) =>
    name.startsWith('.') ? packagesOf(path.join(path.dirname(file), name), seen) : name,
  )
}

const isSdk = (name: string) => /^(openai|@anthropic-ai\/sdk)$/.test(name)

describe('no SDK is loaded', () => {
  test.each([
    'anthropic/address.ts',
    'anthropic/address.ts',
    'openai/probe_server.ts',
    'openai/address.ts',
    'table.ts',
  ])('by %s', (name) => expect(packagesOf(path.join(source, 'engines', name)).filter(isSdk)).toEqual([]))
  test.each(['anthropic/api.ts', 'openai/api.ts'])('control: by %s it is', (name) =>
    expect(packagesOf(path.join(source, 'engines', name)).filter(isSdk)).not.toEqual([]),
  )
})

const stage = stageOfEachTest()

describe('one request', () => {
  const ask = async (answer: RequestListener, signal = new AbortController().signal) => {
    await using server = await serveHttp(answer)
    const base = `${server.url}/`
    const request = { base, path: '/models', headers: { 'x-own': 'o' }, body: { a: 'ü' }, signal }
    return { base, answer: await askServer(request) }
  }
  const said = (request: IncomingMessage) => `${request.method} ${request.url} ${request.headers['x-own']}`

  test('gives the JSON of an answer that comes in parts, cut inside a letter', async () => {
    const { answer } = await ask((request, response) => {
      const whole = Buffer.from(JSON.stringify({ said: said(request), more: 'ü' }))
      response.writeHead(200)
      response.write(whole.subarray(0, whole.length - 3))
      setTimeout(() => response.end(whole.subarray(whole.length - 3)), 20)
    })
    expect(answer).toEqual({ as: 'answer', status: 200, body: { said: 'POST /models o', more: 'ü' } })
  })
  test('follows a redirection with all that it sent', async () => {
    const { answer } = await ask((request, response) => {
      if (request.url === '/models') response.writeHead(307, { location: '/v2/models' }).end()
      else response.end(JSON.stringify(said(request)))
    })
    expect(answer).toEqual({ as: 'answer', status: 200, body: 'POST /v2/models o' })
  })
  test('a connection that ends in the middle, or before an answer, is silence that names the server', async () => {
    for (const isCut of [true, false]) {
      const { base, answer } = await ask((_request, response) => {
        if (isCut) response.writeHead(200, { 'content-length': '10' }).write('{')
        setTimeout(() => response.socket?.destroy(), 20)
      })
      expect(answer).toEqual({ as: 'silence', message: expect.stringContaining(`can't reach ${base}: `) })
    }
  })
  test('another protocol in the place of an answer is silence, not a wait for ever', async () => {
    const { answer } = await ask((_request, response) => {
      response.socket?.write('HTTP/1.1 101 Switching Protocols\r\nUpgrade: other\r\nConnection: Upgrade\r\n\r\n')
    })
    expect(answer).toMatchObject({ as: 'silence' })
  })
  test('an answer is read that is encoded unasked, or begins with a BOM', async () => {
    for (const isZipped of [true, false]) {
      const text = `${isZipped ? '' : '\uFEFF'}{"a":1}`
      const { answer } = await ask((_request, response) => {
        if (isZipped) response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
        else response.end(text)
      })
      expect(answer).toEqual({ as: 'answer', status: 200, body: { a: 1 } })
    }
  })
  test('is given up when it is aborted', async () => {
    const aborted = new AbortController()
    const asked = ask(() => aborted.abort(new Error('enough')), aborted.signal)
    await expect(asked).rejects.toThrow('enough')
  })
  test.each([
    ['nowhere', 'nowhere'],
    ['ftp://127.0.0.1', 'ftp://127.0.0.1'],
    ['http://user:pass@127.0.0.1:9', 'includes credentials'],
  ])('the address %s, which no run could use, is silence too', async (base, message) => {
    const { signal } = new AbortController()
    const answer = await askServer({ base, path: '', headers: {}, signal })
    expect(answer).toEqual({ as: 'silence', message: expect.stringContaining(message) })
  })
})

test.each([
  ['ANTHROPIC_API_KEY', ' a-key '],
  ['ANTHROPIC_AUTH_TOKEN', 'a-token'],
])('anthropic signs it with %s as a run does', async (name, key) => {
  const seen: IncomingHttpHeaders[] = []
  await using server = await serveHttp((request, response) => {
    seen.push(request.headers)
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
  })
  const credentials = { ANTHROPIC_BASE_URL: server.url, [name]: key }
  const { signal } = new AbortController()
  const asked = { model: 'm', command: null, credentials, env: stage.env, signal }
  await findEngine('anthropic').probe(asked)
  await findEngine('anthropic').run(stage.task({ credentials }), { signal, emit: () => {}, stderrFile: null })
  const named = ['authorization', 'x-api-key', 'anthropic-version', 'content-type']
  const signs = seen.map((headers) => named.map((one) => headers[one]))
  expect(signs).toHaveLength(2)
  expect(signs[0]).toEqual(signs[1])
})
