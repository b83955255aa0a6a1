/** One contract for every store of blobs, and what a stranger with write access or a broken server can't do. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { maxBlobBytes } from '../../../src/store/shared_cache/blob_store.ts'
import { openFolderBlobs } from '../../../src/store/shared_cache/folder_blobs.ts'
import { openHttpBlobs } from '../../../src/store/shared_cache/http_blobs.ts'
import { startBlobServer } from './blob_server.ts'

const name = 'a'.repeat(64)
const never = new AbortController().signal
const fresh = () => mkdtempSync(path.join(tmpdir(), 'blobs-'))

const stores = {
  folder: async () => {
    const blobs = openFolderBlobs(path.join(fresh(), 'new'))
    return { blobs, async [Symbol.asyncDispose]() {} }
  },
  'HTTP server': async () => {
    const server = await startBlobServer()
    return {
      blobs: openHttpBlobs({ url: new URL(`${server.url}/`), token: null }),
      [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
    }
  },
}

describe.each(Object.entries(stores))('a %s', (_kind, open) => {
  test('has nothing, then what was put last, whole, whoever writes at the same time', async () => {
    await using store = await open()
    const { blobs } = store
    expect(await blobs.get(name, never)).toBeNull()
    const contents = [1, 2, 3, 4].map((one) => Buffer.alloc(200_000, one))
    await Promise.all(contents.map((one) => blobs.put(name, one, never)))
    const found = await blobs.get(name, never)
    expect(contents.some((one) => found?.equals(one))).toBe(true)
    await blobs.put(name, Buffer.from('last'), never)
    expect(String(await blobs.get(name, never))).toBe('last')
  })
})

describe('a folder', () => {
  const outside = path.join(fresh(), 'outside')
  writeFileSync(outside, 'not for you')
  test.each([
    ['a link', (at: string) => symlinkSync(outside, at)],
    ['a pipe, which would block', (at: string) => execFileSync('mkfifo', [at])],
    ['a folder', (at: string) => mkdirSync(at)],
    ['a file that is too large', (at: string) => writeFileSync(at, Buffer.alloc(maxBlobBytes + 1))],
  ])('with %s in place of an entry gives none of it', async (_what, plant) => {
    const folder = fresh()
    plant(path.join(folder, name))
    await expect(openFolderBlobs(folder).get(name, never)).rejects.toThrow()
  })
  test('replaces a link instead of writing through it, and leaves no other file', async () => {
    const folder = fresh()
    symlinkSync(outside, path.join(folder, name))
    await openFolderBlobs(folder).put(name, Buffer.from('mine'), never)
    expect(readFileSync(outside, 'utf8')).toBe('not for you')
    expect(readdirSync(folder)).toEqual([name])
  })
  test('in a missing folder rejects', async () => {
    const blobs = openFolderBlobs(path.join(fresh(), 'not/there'))
    await expect(blobs.put(name, Buffer.from('x'), never)).rejects.toThrow('ENOENT')
  })
})

describe('an HTTP server', () => {
  const token = { bearer: 'abc.def', basic: 'user:pass word' }
  test.each([
    [null, `GET /cache/${name}`],
    [token.bearer, `GET /cache/${name} Bearer abc.def`],
    [token.basic, `GET /cache/${name} Basic ${Buffer.from(token.basic).toString('base64')}`],
  ])('with the token %s gets its header', async (given, request) => {
    await using server = await startBlobServer()
    await openHttpBlobs({ url: new URL(server.url), token: given }).get(name, never)
    expect(server.asked).toEqual([request])
  })
  test.each([500, 401])('that answers %s rejects both', async (status) => {
    const message = `answered ${status}`
    await using server = await startBlobServer((_request, response) => Boolean(response.writeHead(status).end()))
    const blobs = openHttpBlobs({ url: new URL(server.url), token: null })
    await expect(blobs.get(name, never)).rejects.toThrow(message)
    await expect(blobs.put(name, Buffer.from('x'), never)).rejects.toThrow(message)
  })
  test('that never answers, or never ends, is left after the limit', async () => {
    let count = 0
    await using server = await startBlobServer((_request, response) => {
      count += 1
      if (count === 1) response.writeHead(200).write('begins')
      return true
    })
    const blobs = openHttpBlobs({ url: new URL(server.url), token: null, requestMs: 200 })
    for (const _ of [1, 2]) await expect(blobs.get(name, never)).rejects.toThrow('no end within 0.2 s')
    await expect(blobs.put(name, Buffer.from('x'), never)).rejects.toThrow('no end within 0.2 s')
  })
  test('is left at once on Ctrl-C', async () => {
    await using server = await startBlobServer(() => true)
    const stop = new AbortController()
    const asked = openHttpBlobs({ url: new URL(server.url), token: null }).get(name, stop.signal)
    stop.abort()
    await expect(asked).rejects.toThrow('abort')
  })
  test('that sends a small compressed answer of endless content is cut off', async () => {
    const bomb = gzipSync(Buffer.alloc(maxBlobBytes + 1))
    expect(bomb.length).toBeLessThan(100_000)
    await using server = await startBlobServer((_request, response) => {
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(bomb)
      return true
    })
    await expect(openHttpBlobs({ url: new URL(server.url), token: null }).get(name, never)).rejects.toThrow(
      'larger than',
    )
  })
  test('that redirects is not followed, so the token goes nowhere else', async () => {
    await using elsewhere = await startBlobServer()
    elsewhere.blobs.set(name, Buffer.from('x'))
    await using server = await startBlobServer((_request, response) => {
      response.writeHead(302, { location: `${elsewhere.url}/${name}` }).end()
      return true
    })
    await expect(openHttpBlobs({ url: new URL(server.url), token: 't' }).get(name, never)).rejects.toThrow()
    expect(elsewhere.asked).toEqual([])
  })
  test('that is down rejects with the reason', async () => {
    const server = await startBlobServer()
    await server[Symbol.asyncDispose]()
    await expect(openHttpBlobs({ url: new URL(server.url), token: null }).get(name, never)).rejects.toThrow(
      'ECONNREFUSED',
    )
  })
})
