// What a queue adds: runs through Redis and one worker against the same bench on this machine alone; four workers against one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { bin, exitOf, fresh, makeSkill, median, report } from './shared.mjs'

const rounds = 3
const places = 4
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
async function startRedis() {
  const port = await freePort()
  const where = ['--port', port, '--bind', '127.0.0.1', '--dir', fresh()]
  const child = spawn('redis-server', [...where, '--save', '', '--appendonly', 'yes'], { stdio: 'ignore' })
  for (let tries = 0; ; tries += 1) {
    const socket = connect(port, '127.0.0.1')
    const isUp = await new Promise((resolve) => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    socket.destroy()
    if (isUp) return { url: `redis://127.0.0.1:${port}`, end: () => ended(child) }
    if (tries > 100) throw new Error('redis-server does not start')
    await sleep(50)
  }
}

async function ended(child) {
  const gone = once(child, 'exit')
  child.kill()
  await gone
}

async function startWorker(queue) {
  const args = [...queue, '--concurrency', String(places), '--engines', 'command', '--sandbox', 'off', '--json']
  const child = spawn(process.execPath, [bin, 'queue', 'work', ...args], {
    env: { ...plain, TMPDIR: fresh() },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  lines.on('line', () => {})
  return { end: () => ended(child) }
}

/** Milliseconds between the first start of a run and the last end of one, as the coordinator heard of them. */
async function benched(agent, count, more) {
  const evals = Array.from({ length: 10 }, (_, at) => ({
    id: at + 1,
    prompt: 'x',
    checks: [{ type: 'not_contains', value: 'done' }],
  }))
  const skill = makeSkill(evals)
  const flags = [
    '--runs',
    String(count / 20),
    '--workspace',
    path.join(fresh(), 'ws'),
    '--sandbox',
    'off',
    '--no-cache',
  ]
  const args = [bin, 'bench', skill, '--engine', `command:${agent}`, ...flags, '--json', ...more]
  const child = spawn(process.execPath, args, { env: plain, stdio: ['ignore', 'pipe', 'inherit'] })
  let [first, last, used] = [0, 0, 0]
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.startsWith('{"type":"run_started"') && first === 0) first = performance.now()
    if (!line.startsWith('{"type":"run_finished"')) return
    used += 1
    last = performance.now()
  })
  const code = await exitOf(child)
  if (code !== 0 || used !== count) throw new Error(`exit code ${code}, ${used} of ${count} runs`)
  return last - first
}

const redis = await startRedis()
const shared = fresh()
const queue = ['--queue', redis.url, '--shared', shared]
const workers = [await startWorker(queue)]
try {
  const count = 400
  const instant = []
  for (let round = 0; round < rounds; round += 1) {
    const local = await benched('true', count, ['--concurrency', String(places)])
    instant.push((await benched('true', count, [...queue, '--concurrency', String(4 * places)])) - local)
  }
  const name = `what the queue adds to a run, ${count} runs of true, one worker of ${places} places`
  report({ name, value: median(instant) / count, limit: 3, unit: 'ms a run' })
  const waiting = 160
  const slow = () => benched('sleep 0.2', waiting, [...queue, '--concurrency', String(8 * places)])
  const alone = []
  for (let round = 0; round < rounds; round += 1) alone.push(await slow())
  while (workers.length < 4) workers.push(await startWorker(queue))
  const together = []
  for (let round = 0; round < rounds; round += 1) together.push(await slow())
  const [one, four] = [median(alone), median(together)]
  report({
    name: `time of four workers ÷ a quarter of one's, agents that wait 200 ms`,
    value: (4 * four) / one,
    limit: Number((4 / 3.6).toFixed(2)),
    detail: `${(one / four).toFixed(2)} × as fast: ${one.toFixed(0)} ms, ${four.toFixed(0)} ms`,
  })
} finally {
  for (const worker of workers) await worker.end()
  await redis.end()
}
