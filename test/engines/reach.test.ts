/** The look at a server before the first run: no SDK is loaded for it, and the server sees what a run will send. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { engineNamed } from '../../src/engines/table.ts'
import { openStage, type Stage } from './stage.ts'

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
  test.each(['anthropic/reach.ts', 'anthropic/address.ts', 'openai/reach.ts', 'openai/address.ts', 'table.ts'])(
    'by %s',
    (name) => expect(packagesOf(path.join(source, 'engines', name)).filter(isSdk)).toEqual([]),
  )
  test.each(['anthropic/api.ts', 'openai/api.ts'])('control: by %s it is', (name) =>
    expect(packagesOf(path.join(source, 'engines', name)).filter(isSdk)).not.toEqual([]),
  )
})

let stage: Stage
beforeEach(async () => {
  stage = await openStage()
})
afterEach(() => stage[Symbol.asyncDispose]())

test.each([
  ['ANTHROPIC_API_KEY', ' a-key '],
  ['ANTHROPIC_AUTH_TOKEN', 'a-token'],
])('anthropic signs it with %s as a run does', async (name, key) => {
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    response.writeHead(404, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const { port } = server.address() as AddressInfo
  const credentials = { ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}`, [name]: key }
  const { signal } = new AbortController()
  const asked = { model: 'm', command: null, credentials, env: stage.env, signal }
  await engineNamed('anthropic').probe(asked)
  await engineNamed('anthropic').run(stage.task({ credentials }), { signal, emit: () => {}, stderrFile: null })
  server.close()
  const signs = seen.map((headers) => [
    headers.authorization,
    headers['x-api-key'],
    headers['anthropic-version'],
    headers['content-type'],
  ])
  expect(signs).toHaveLength(2)
  expect(signs[0]).toEqual(signs[1])
})
