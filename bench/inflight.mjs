// Memory of a coordinator with 1,000 runs in flight, each with a request at a practice model in another process.
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { bin, exitOf, fresh, makeSkill, peakOf, report, startPractice } from './shared.mjs'

const count = Number(process.argv[2] ?? 1000)
/** Long enough for every run to have begun its last request before the first of them is answered. */
const lastMs = count * 120
const scenario = {
  latency: 50,
  rules: [
    { name: 'end', when: { turn: 3 }, latency: lastMs, answer: { text: 'done' } },
    { name: 'look', answer: { tool_calls: { name: 'Glob', input: { pattern: '*' } } } },
  ],
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
  if (code !== 0) throw new Error(`exit code ${code}`)
  return { peak, used }
}

/** The most requests that were open at once. */
function mostAtOnce(log) {
  const edges = readFileSync(log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter(({ path, turn }) => path === '/v1/messages' && turn === 3)
    .flatMap(({ at }) => [
      [Date.parse(at), 1],
      [Date.parse(at) + lastMs, -1],
    ])
    .sort((a, b) => a[0] - b[0] || a[1] - b[1])
  let [open, most] = [0, 0]
  for (const [, change] of edges) {
    open += change
    most = Math.max(most, open)
  }
  return most
}

const practice = await startPractice(scenario)
const { peak, used } = await coordinate(practice.env)
await practice.end()
const most = mostAtOnce(practice.log)
const detail = `${used} graded, ${most} requests open at once`
if (used !== count || most < count * 0.95) throw new Error(`${detail}, ${peak} MiB`)
report({ name: `memory of a coordinator with ${count} runs in flight`, value: peak, limit: 300, unit: 'MiB', detail })
