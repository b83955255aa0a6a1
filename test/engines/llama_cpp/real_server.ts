/** llama.cpp's own server with the smallest model, as `npm run local-models` leaves them. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { serveHttp } from '../stage.ts'

const folder = process.env.WHETSTONE_LOCAL_MODELS ?? path.join(import.meta.dirname, '../../../.local-models')
const program = path.join(folder, 'build/bin/llama-server')
const file = path.join(folder, 'models/smollm2-135m-q4_1.gguf')

export const model = 'smollm2-135m'
export const isInstalled = existsSync(program) && existsSync(file)

export interface RealServer {
  url: string
  port: number
  /** As a crash would end it. */
  kill(): Promise<void>
}

/** Two slots of 2,048 tokens; an answer without a limit of its own ends after 40. Resolves when the server answers. */
export async function startRealServer(wanted = 0): Promise<RealServer> {
  const port = wanted === 0 ? await findFreePort() : wanted
  const place = ['--host', '127.0.0.1', '--port', `${port}`]
  const size = ['-c', '4096', '-np', '2', '-t', '2', '-n', '40', '--temp', '0']
  const flags = ['-m', file, '-a', model, ...place, ...size, '--jinja', '--metrics', '--slots']
  const server = spawn(program, flags, { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  const isReady = async () => (await fetch(`${url}/health`).catch(() => null))?.ok === true
  while (!(await isReady())) {
    if (server.exitCode !== null) throw new Error(`${program} ended with ${server.exitCode}`)
    await setTimeout(100)
  }
  const kill = async () => {
    server.kill('SIGKILL')
    if (server.exitCode === null && server.signalCode === null) await once(server, 'close')
  }
  return { url, port, kill }
}

async function findFreePort(): Promise<number> {
  await using server = await serveHttp(() => undefined)
  return Number(new URL(server.url).port)
}
