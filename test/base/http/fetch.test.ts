/** Requests go through the user's HTTP proxy with every kind of body; addresses of this machine do not. */
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { fetchByProxy } from '../../../src/base/http/fetch.ts'

const asked: string[] = []
let proxy: Server
let model: Server
let got: { type: string; body: string }

const portOf = (server: Server) => (server.address() as AddressInfo).port
const listen = (server: Server) => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

beforeEach(async () => {
  asked.length = 0
  model = createServer((request, response) => {
    if (request.url === '/silent') return
    let body = ''
    request.on('data', (part) => {
      body += String(part)
    })
    request.on('end', () => {
      got = { type: request.headers['content-type'] ?? '', body }
      response.end(`hello ${request.headers['x-own'] ?? ''}`)
    })
  })
  proxy = createServer().on('connect', (request, client: Socket, head: Buffer) => {
    asked.push(request.url ?? '')
    const onward = connect(portOf(model), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 OK\r\n\r\n')
      onward.write(head)
      onward.pipe(client).pipe(onward)
    })
    client.on('error', () => onward.destroy())
    onward.on('error', () => client.destroy())
  })
  await Promise.all([listen(model), listen(proxy)])
  vi.stubEnv('HTTP_PROXY', `http://127.0.0.1:${portOf(proxy)}`)
})

afterEach(() => {
  vi.unstubAllEnvs()
  for (const server of [proxy, model]) server.closeAllConnections()
  for (const server of [proxy, model]) server.close()
})

const url = 'http://model.company.example'

test('a text with headers', async () => {
  const response = await fetchByProxy(`${url}/v1`, { method: 'POST', body: 'text', headers: { 'x-own': 'you' } })
  expect([response.status, await response.text(), got.body]).toEqual([200, 'hello you', 'text'])
  expect(asked).toEqual(['model.company.example:80'])
})

test('a form with a file, as for a batch', async () => {
  const form = new FormData()
  form.append('purpose', 'batch')
  form.append('file', new Blob(['{"a":1}']), 'batch.jsonl')
  expect((await fetchByProxy(`${url}/v1/files`, { method: 'POST', body: form })).status).toBe(200)
  const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(got.type) ?? []
  expect(got.body).toContain(`--${boundary}`)
  expect(got.body).toContain('{"a":1}')
})

test('an abort ends it', async () => {
  const abort = new AbortController()
  const waiting = fetchByProxy(`${url}/silent`, { signal: abort.signal })
  setTimeout(() => abort.abort(new Error('enough')), 100)
  await expect(waiting).rejects.toThrow('enough')
})

test('an address of this machine is reached directly', async () => {
  const response = await fetchByProxy(`http://127.0.0.1:${portOf(model)}/v1`)
  expect([await response.text(), asked]).toEqual(['hello ', []])
})
