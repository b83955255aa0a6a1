// What a queue adds to a run, and how much faster four workers are than one.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import path from 'node:path'
import { baseEnv, bin, median, repeat, runProgram, simpleCases, stop, temporaryFolder, writeSkill } from './shared.mjs'

const places = 4

export async function* measure() {
  if (spawnSync('redis-server', ['--version']).status !== 0) {
    yield { what: 'queue', skipped: 'redis-server is not installed; apt-get install redis-server' }
    return
  }
  const redis = await startRedis()
  const queue = ['--queue', redis.url, '--shared', temporaryFolder()]
  const workers = [await startWorker(queue)]
  try {
    yield await overhead(queue)
    yield await scaling(queue, workers)
  } finally {
    for (const worker of workers) await stop(worker)
    await stop(redis.child)
  }
}

async function overhead(queue) {
  const count = 400
  const times = await repeat(3, async () => {
    const local = await benchMs(count, 'true', ['--concurrency', `${places}`])
    const queued = await benchMs(count, 'true', [...queue, '--in-flight', `${4 * places}`])
    return queued - local
  })
  return { what: `queue: overhead per run, ${count} runs`, value: median(times) / count, unit: 'ms', limit: 10 }
}

async function scaling(queue, workers) {
  const work = () => benchMs(160, 'sleep 1', [...queue, '--in-flight', `${8 * places}`])
  const one = await work()
  while (workers.length < 4) workers.push(await startWorker(queue))
  const four = await work()
  const detail = `${(one / 1000).toFixed(1)} s, ${(four / 1000).toFixed(1)} s`
  return { what: 'queue: speed of four workers ÷ one', value: one / four, unit: '×', atLeast: 3.5, detail }
}

async function benchMs(count, agent, flags) {
  const cases = 20
  const workspace = path.join(temporaryFolder(), 'workspace')
  const own = ['--engine', `command:${agent}`, '--runs', `${count / cases / 2}`, '--sandbox', 'off', '--no-cache']
  const skill = writeSkill(simpleCases(cases))
  return (await runProgram(['bench', skill, ...own, ...flags, '--workspace', workspace])).ms
}

async function startWorker(queue) {
  const flags = ['--concurrency', `${places}`, '--engines', 'command', '--sandbox', 'off', '--json']
  const child = spawn(process.execPath, [bin, 'queue', 'work', ...queue, ...flags], {
    env: baseEnv,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  await once(child.stdout, 'data')
  child.stdout.resume()
  return child
}

async function startRedis() {
  const port = await freePort()
  const flags = [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    temporaryFolder(),
    '--save',
    '',
    '--appendonly',
    'yes',
  ]
  const child = spawn('redis-server', flags, { stdio: 'ignore' }) // the program waits until it answers
  return { url: `redis://127.0.0.1:${port}`, child }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
