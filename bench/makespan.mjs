// Wall time of a benchmark on a model with a known latency, against the best that any order of its runs could do: max(sum ÷ width,
// longest) of the durations that it recorded. Printed beside it: the same for agents that take nothing but the model's time.
import { context, library, makeSkill, median, report, request, startPractice, timed } from './shared.mjs'

const { bench } = await library()

/** A model whose answers take `latency` ms; a prompt "turns: 3" gets two tool calls, then its answer. */
function scenario(latency, most) {
  const turns = Array.from({ length: most - 1 }, (_, at) => at + 2)
  const rules = turns.flatMap((number) =>
    Array.from({ length: number - 1 }, (_, at) => ({
      name: `turn ${at + 1} of ${number}`,
      when: { user: `turns: ${number}$`, turn: at + 1 },
      tool_calls: [{ name: 'Glob', input: { pattern: '*' } }],
    })),
  )
  return { schema_version: 1, latency, rules: [...rules, { name: 'answer', text: 'done' }] }
}

async function makespan({ latency, turns, ...rest }) {
  const server = await startPractice(scenario(latency, Math.max(2, ...turns)))
  try {
    await measured(server, { latency, turns, ...rest })
  } finally {
    await server.end()
  }
}

async function measured(server, { name, latency, turns, runs, width, limit }) {
  const evals = turns.map((number, at) => ({
    id: at + 1,
    prompt: `turns: ${number}`,
    checks: [{ type: 'contains', value: 'done' }],
  }))
  const skill = makeSkill(evals)
  const jobs = turns.flatMap((number) => Array.from({ length: 2 * runs }, () => number * latency))
  const ideal = bestOf(jobs, width)
  const rounds = []
  for (let round = 0; round < 3; round += 1) {
    const asked = request({ skill, engine: 'anthropic:practice-1', runs, concurrency: width })
    const { ms, result } = await timed(() => bench(asked, context(server.env)))
    if (result.benchmark.counts.used !== jobs.length) throw new Error(`only ${result.benchmark.counts.used} runs`)
    const recorded = result.benchmark.runs.map((run) => run.result.time_seconds * 1000)
    rounds.push({ wall: ms, best: bestOf(recorded, width) })
  }
  const [wall, best] = [median(rounds.map((round) => round.wall)), median(rounds.map((round) => round.best))]
  const value = median(rounds.map((round) => round.wall / round.best))
  const beside = `the model's time alone ${ideal} ms, ${(wall / ideal).toFixed(2)} × of it`
  report({ name, value, limit, detail: `${wall.toFixed(0)} ms, at best ${best.toFixed(0)} ms; ${beside}` })
}

function bestOf(durations, width) {
  return Math.max(durations.reduce((sum, ms) => sum + ms, 0) / width, ...durations)
}

const cold = { latency: 200, turns: [1, 2, 1, 3, 2, 6, 1, 4], runs: 3, width: 8 }
await makespan({ name: 'makespan, cold, 48 runs of 1 to 6 answers of 200 ms, 8 wide', ...cold, limit: 1.11 })
const even = { latency: 1000, turns: [1, 1, 1, 1, 1, 1, 1, 1], runs: 3, width: 8 }
await makespan({ name: 'makespan, 48 runs of one answer of 1 s, 8 wide', ...even, limit: 1.1 })
