// Wall time of 20 trigger queries × 3 runs, 8 wide, against the best that any order of its runs could do: max(sum ÷ width, longest) of the
// durations that they recorded. Half of the queries trigger at the first answer and are ended there, half work on for two more.

import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { context, library, makeSkill, median, report, request, startPractice, timed } from './shared.mjs'

const { triggers } = await library()

const latency = 250
const width = 8
const look = (turn) => ({
  name: `looks ${turn}`,
  when: { turn, user: 'table' },
  tool_calls: { name: 'Glob', input: { pattern: '*' } },
})
const scenario = {
  schema_version: 1,
  latency,
  rules: [
    {
      name: 'takes the skill',
      when: { turn: 1, user: 'notes', system: 'file: (?<file>\\S+SKILL\\.md)' },
      tool_calls: { name: 'Read', input: { file_path: '{{file}}' } },
    },
    look(1),
    look(2),
    { name: 'answers', text: 'done' },
  ],
}

const skill = makeSkill([])
const set = path.join(path.dirname(skill), 'set.json')
const queries = Array.from({ length: 20 }, (_, at) => ({
  query: at % 2 === 0 ? `sort notes ${at}` : `make table ${at}`,
  should_trigger: at % 2 === 0,
}))
writeFileSync(set, JSON.stringify(queries))

const server = await startPractice(scenario)
try {
  const rounds = []
  for (let round = 0; round < 3; round += 1) rounds.push(await measured())
  const [wall, best] = [median(rounds.map((one) => one.wall)), median(rounds.map((one) => one.best))]
  const value = median(rounds.map((one) => one.wall / one.best))
  const detail = `${wall.toFixed(0)} ms, at best ${best.toFixed(0)} ms; ${rounds[0].stopped} of 60 runs ended early`
  report({ name: 'triggers, 20 queries × 3 runs, 8 wide', value, limit: 1.15, detail })
} finally {
  await server.end()
}

async function measured() {
  const asked = {
    ...{ skill, set, among: [], engine: 'anthropic:practice-1', model: null, baseUrl: null, runs: 3, threshold: 0.5 },
    ...{ concurrency: width, timeoutSeconds: 60, maxTurns: 10, retries: 0, stopEarly: true, passEnv: [], fresh: true },
    limits: { budget: null, budgetTokens: null, deadline: null, costPerRun: null },
    ...{ sandbox: request({}).sandbox, workspace: path.join(path.dirname(skill), 'workspace') },
  }
  const { ms, result } = await timed(() => triggers(asked, context(server.env)))
  const made = result.triggers
  if (made.summary.passed !== 20 || !made.complete) throw new Error(`only ${made.summary.passed} queries behaved`)
  const recorded = made.results.flatMap(({ query_runs }) => query_runs.map(({ duration_ms }) => duration_ms))
  const best = Math.max(recorded.reduce((sum, one) => sum + one, 0) / width, ...recorded)
  return { wall: ms, best, stopped: made.saving?.stopped ?? 0 }
}
