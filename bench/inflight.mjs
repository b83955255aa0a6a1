// Memory of a coordinator with 1,000 runs in flight, each with a request at a practice model in another process.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { context, library, makeSkill, report, request, startPractice } from './shared.mjs'

const count = 1000
/** Long enough for every run to have begun its last request before the first of them is answered. */
const lastMs = 90_000
const scenario = {
  latency: 50,
  rules: [
    { name: 'end', when: { turn: 3 }, latency: lastMs, answer: { text: 'done' } },
    { name: 'look', answer: { tool_calls: { name: 'Glob', input: { pattern: '*' } } } },
  ],
}

/** The coordinator alone; prints its peak. */
async function child() {
  const { bench } = await library()
  const evals = Array.from({ length: 10 }, (_, at) => ({
    id: at + 1,
    prompt: `task ${at}`,
    checks: [{ type: 'contains', value: 'done' }],
  }))
  const runs = count / evals.length / 2
  const skill = makeSkill(evals)
  const asked = request({ skill, engine: 'anthropic:practice-1', runs, concurrency: count, timeoutSeconds: 600 })
  const { benchmark } = await bench(asked, context(JSON.parse(process.argv[3])))
  const peak = process.resourceUsage().maxRSS / 1024
  console.log(JSON.stringify({ peak, used: benchmark.counts.used }))
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

if (process.argv[2] === 'child') await child()
else {
  const practice = await startPractice(scenario)
  const how = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }
  const { stdout, status } = spawnSync(
    process.execPath,
    [import.meta.filename, 'child', JSON.stringify(practice.env)],
    how,
  )
  await practice.end()
  if (status !== 0) throw new Error(stdout)
  const { peak, used } = JSON.parse(stdout.trim())
  const most = mostAtOnce(practice.log)
  if (used !== count || most < count * 0.95) throw new Error(`${used} runs, ${most} requests at once, ${peak} MiB`)
  const detail = `${used} graded, ${most} requests open at once`
  report({ name: `memory of a coordinator with ${count} runs in flight`, value: peak, limit: 300, unit: 'MiB', detail })
}
