// What the benches of the queue share: a Redis of their own, workers as processes, a coordinator as a process.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { bin, exitOf, fresh, makeSkill, peakOf } from './shared.mjs'

const plain = { PATH: process.env.PATH, HOME: process.env.HOME }

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

/** A Redis that writes to disk each second what it is told. */
export async function startRedis() {
  const port = await freePort()
  const where = ['--port', port, '--bind', '127.0.0.1', '--dir', fresh()]
  const child = spawn('redis-server', [...where, '--save', '', '--appendonly', 'yes'], { stdio: 'ignore' })
  for (let tries = 0; ; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    const isUp = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isUp) return { url: `redis://127.0.0.1:${port}`, pid: child.pid, end: () => ended(child) }
    if (tries > 100) throw new Error('redis-server does not start')
    await sleep(50)
  }
}

async function ended(child) {
  const gone = once(child, 'exit')
  child.kill()
  await gone
}

/** `program`: what is started in place of the command line; `tmp`: its temporary folder. Everything else is a worker as a user starts it. */
export async function startWorker(queue, { places, program = bin, tmp = fresh() }) {
  const args = [...queue, '--concurrency', String(places), '--engines', 'command', '--sandbox', 'off', '--json']
  const child = spawn(process.execPath, [program, 'queue', 'work', ...args], {
    env: { ...plain, TMPDIR: tmp },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  lines.on('line', () => {})
  return { pid: child.pid, end: () => ended(child) }
}

/** Seconds of CPU that a process took so far; 0 when it is gone. */
export function cpuOf(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) / 100
  } catch {
    return 0
  }
}

/**
 * A bench of `count` runs as a user starts it. `ms`: between the first start of a run and the last end of one, as the coordinator
 * tells; `peak` in MiB is the coordinator's, `peakRunning` until then; `before` and `after` are what it took besides.
 * `onEnd` gets the seconds of CPU that it took until then.
 */
export async function benched(agent, count, { cases = 10, more, onEnd = () => {} }) {
  const evals = Array.from({ length: cases }, (_, at) => ({
    id: at + 1,
    prompt: 'x',
    checks: [{ type: 'not_contains', value: 'done' }],
  }))
  const workspace = path.join(fresh(), 'ws')
  const flags = ['--runs', String(count / cases / 2), '--workspace', workspace, '--sandbox', 'off', '--no-cache']
  const args = [bin, 'bench', makeSkill(evals), '--engine', `command:${agent}`, ...flags, '--json', ...more]
  const child = spawn(process.execPath, args, { env: plain, stdio: ['ignore', 'pipe', 'inherit'] })
  let [first, last, used, peak, peakRunning] = [0, 0, 0, 0, 0]
  const look = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid))
  }, 100)
  const began = performance.now()
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{"type":"run_started"') && first === 0) first = performance.now()
    if (!line.startsWith('{"type":"run_finished"')) return
    used += 1
    if (used < count) return
    last = performance.now()
    peakRunning = peakOf(child.pid)
    onEnd(cpuOf(child.pid))
  })
  const code = await exitOf(child)
  clearInterval(look)
  if (code !== 0 || used !== count) throw new Error(`exit code ${code}, ${used} of ${count} runs`)
  return { ms: last - first, peak, peakRunning, before: first - began, after: performance.now() - last }
}
