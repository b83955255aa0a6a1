// Memory of a coordinator with 1,000 runs in flight: each waits for its last answer, and none is given before all wait.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Agent, createServer, request } from 'node:http'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { bin, exitOf, fresh, makeSkill, peakOf, report, startPractice } from './shared.mjs'

const count = Number(process.argv[2] ?? 1000)
const lastTurn = 3
/** Between two of the last answers: as fast as a coordinator may be told them by a provider. */
const apartMs = 10
/** Nothing new for so long: the coordinator holds the rest back until it sees that more is borne. */
const quietMs = 700
/** A request that waits longer would count as never answered (the program's own limit is 120 s). */
const longestMs = 90_000
/** All have to wait by then. */
const patienceMs = 150_000
const scenario = {
  latency: 50,
  rules: [
    { name: 'end', when: { turn: lastTurn }, answer: { text: 'done' } },
    { name: 'look', answer: { tool_calls: { name: 'Glob', input: { pattern: '*' } } } },
  ],
}

/** Before the practice model: a request for a last answer gets none before `count` of them wait; some get one more look instead. */
async function startGate(target) {
  const [start, waiting] = [Date.now(), []]
  const seen = { most: 0, heldUntil: 0, looks: 0 }
  const agent = new Agent({ keepAlive: true, maxSockets: 64 })
  const server = createServer(async (asked, answer) => {
    const one = { asked, answer, body: await text(asked), at: Date.now() }
    if (turnOf(one.body) < lastTurn) return pass(one)
    waiting.push(one)
    seen.most = Math.max(seen.most, waiting.length)
  })
  function pass({ asked, answer, body }, turn = null) {
    const { 'content-length': _length, ...headers } = asked.headers
    const onward = request(new URL(asked.url, target), { method: asked.method, headers, agent }, (back) => {
      answer.writeHead(back.statusCode, back.headers)
      back.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    onward.end(turn === null ? body : upTo(body, turn))
  }
  const look = () => {
    const newest = waiting.at(-1)?.at ?? start
    const held = waiting.filter(({ at }) => Date.now() - at > longestMs).length
    const more = Date.now() - newest > quietMs ? Math.min(count - waiting.length, Math.ceil(waiting.length / 6)) : 0
    const some = waiting.splice(0, Math.max(held, more))
    seen.looks += some.length
    for (const one of some) pass(one, lastTurn - 1)
  }
  const serve = async () => {
    while (server.listening && waiting.length < count && Date.now() - start < patienceMs) {
      look()
      await pause(100)
    }
    seen.heldUntil = Date.now()
    while (server.listening) {
      for (const one of waiting.splice(0, 1)) pass(one, lastTurn)
      await pause(apartMs)
    }
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const served = serve()
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    seen,
    async end() {
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await served
    },
  }
}

/** 1 for a conversation without an answer; 0: not one. */
function turnOf(body) {
  const { messages = null } = body.startsWith('{') ? JSON.parse(body) : {}
  return messages === null ? 0 : (messages.length + 1) / 2
}

/** The beginning of a conversation, so that the practice model answers as in that turn. */
function upTo(body, turn) {
  const { messages, ...rest } = JSON.parse(body)
  return JSON.stringify({ ...rest, messages: messages.slice(0, turn * 2 - 1) })
}

/** The coordinator, as a user starts it; the most memory that it had, in MiB, and the runs that count. */
async function coordinate(env) {
  const evals = Array.from({ length: 10 }, (_, at) => ({
    id: at + 1,
    prompt: `task ${at}`,
    checks: [{ type: 'contains', value: 'done' }],
  }))
  const flags = {
    runs: count / evals.length / 2,
    concurrency: count,
    timeout: 600,
    workspace: path.join(fresh(), 'ws'),
  }
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)])
  const args = ['bench', makeSkill(evals), '--engine', 'anthropic:practice-1', ...words]
  const how = ['--sandbox', 'off', '--no-cache', '--json']
  const child = spawn(process.execPath, [bin, ...args, ...how], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let [said, peak] = ['', 0]
  child.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
  })
  const look = setInterval(() => {
    peak = Math.max(peak, peakOf(child.pid))
  }, 100)
  const code = await exitOf(child)
  clearInterval(look)
  const used = said.split('\n').filter((line) => line.startsWith('{"type":"grade_finished"')).length
  return { code, peak, used }
}

const start = Date.now()
const practice = await startPractice(scenario)
const gate = await startGate(practice.env.ANTHROPIC_BASE_URL)
const { code, peak, used } = await coordinate({ ...practice.env, ANTHROPIC_BASE_URL: gate.url })
await gate.end()
await practice.end()
const seconds = (ms) => `${(ms / 1000).toFixed(0)} s`
const times = `${seconds(gate.seen.heldUntil - start)} until all waited, ${seconds(Date.now() - start)} in all`
const detail = `${used} graded, ${gate.seen.most} requests open at once; ${times}, ${gate.seen.looks} more looks`
if (code !== 0 || used !== count || gate.seen.most < count)
  throw new Error(`exit code ${code}: ${detail}, peak ${peak.toFixed(0)} MiB`)
report({ name: `memory of a coordinator with ${count} runs in flight`, value: peak, limit: 300, unit: 'MiB', detail })
