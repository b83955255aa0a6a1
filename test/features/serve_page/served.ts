/** `whetstone view --serve`, here or as a process of its own, and requests to it that go out exactly as written. */
import { spawn } from 'node:child_process'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { serve } from '../../../src/features/serve_page/serve.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'

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

/** The same in this process. */
export async function serveHere(folder: string): Promise<ServedPage> {
  const over = new AbortController()
  const context = { emit: () => {}, env: process.env, drain: over.signal, signal: over.signal, now: () => new Date() }
  let ended = Promise.resolve()
  const url = await new Promise<string>((resolve, reject) => {
    ended = serve({ folder, watchFleet: null, started: (server) => resolve(server.url) }, context)
    ended.catch(reject)
  })
  return { url, stop: () => over.abort(), ended }
}

/** A benchmark of ours: a case, decided by the judge of these flags or by a check. Gives its folder. */
export async function benchHere(agent: string, runs = 2, more: readonly string[] = []): Promise<string> {
  const checks = [{ type: 'contains', value: 'TIDY' }]
  const skill = makeSkill([
    {
      id: 1,
      name: 'task',
      prompt: 'task',
      ...(more.includes('--judge') ? { expectations: ['it is neat'] } : { checks }),
    },
  ])
  const flags = ['--engine', agent, '--workspace', path.join(fresh(), 'ws'), '--runs', `${runs}`, '--sandbox', 'off']
  const end = await runMain(['bench', skill, ...flags, ...more, '--json'])
  if (end.code !== 0) throw new Error(end.stderr)
  return JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder
}
