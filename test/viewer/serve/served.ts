/** `whetstone view --serve` as a process of its own, and requests to it that go out exactly as written. */
import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { launch, type Opened, open } from '../browser.ts'

const bin = path.join(import.meta.dirname, '../../../dist/program/bin.js')

export interface Asked {
  path: string
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** The path, below that of the address, goes out as it is: fetch would tidy it. */
export function ask(url: string, { path: target, method = 'GET', headers = {}, body }: Asked): Promise<number> {
  return new Promise((resolve, reject) => {
    const { port, pathname } = new URL(url)
    const asked = { host: '127.0.0.1', port, path: `${pathname.slice(0, -1)}${target}`, method, headers }
    const sent = request(asked, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

export interface ServedPage {
  url: string
  stop(): void
  /** When its process has ended. */
  ended: Promise<void>
}

/** Serves a benchmark until it is stopped. */
export async function startServed(folder: string, flags: readonly string[] = []): Promise<ServedPage> {
  const child = spawn(process.execPath, [bin, 'view', folder, '--serve', '--json', ...flags], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, TMPDIR: tmpdir() },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const stop = () => void child.kill('SIGINT')
  for await (const line of child.stdout) return { url: JSON.parse(`${line}`).url, stop, ended }
  throw new Error('it ended before it served')
}

/** For the tests of a block: a folder that is made before them, served, and opened in a browser. */
export function serveForAll(made: () => string | Promise<string>) {
  const it: ServedPage & { browser?: Browser; folder: string } = {
    folder: '',
    url: '',
    stop: () => {},
    ended: Promise.resolve(),
  }
  beforeAll(async () => {
    it.folder = await made()
    Object.assign(it, await startServed(it.folder))
    it.browser = await launch()
  })
  afterAll(async () => {
    await it.browser?.close()
    it.stop()
  })
  const opened = (hash: string): Promise<Opened> => {
    if (it.browser === undefined) throw new Error('no browser')
    return open(it.browser, `${it.url}${hash}`)
  }
  return { it, opened }
}
