/** An agent that asks the user and stops is graded like another, and every report says how many runs did so. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const asking = path.join(import.meta.dirname, '../../fixtures/agents/asking_claude.mjs')
const skill = () => makeSkill([{ id: 1, prompt: 'tidy', checks: [{ type: 'contains', value: 'TIDY' }] }])

async function benched(ways: string, engine = 'claude-code') {
  const workspace = path.join(fresh(), 'ws')
  await using server = await startPractice({ scenario: parseScenario("rules: [{ name: says, text: 'TIDY' }]", 'x') })
  const env = { WHETSTONE_CLAUDE: asking, ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: server.url, ASKS: ways }
  const args = ['bench', skill(), '--engine', engine, '--runs', '2', '--workspace', workspace]
  const passed = ['--pass-env', 'ASKS', '--retries', '0']
  const end = await whetstone([...args, ...passed], { env })
  const [at = ''] = readdirSync(path.join(workspace, 'benchmarks'))
  const folder = path.join(workspace, 'benchmarks', at)
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8')
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('run.json'))
  const records = names.map((name) => JSON.parse(read(name)))
  return { end, read, benchmark: JSON.parse(read('benchmark.json')), records }
}

test('asks and stops: graded, in run.json, benchmark.json, benchmark.md and on the terminal', async () => {
  const { end, read, benchmark, records } = await benched('stop')
  expect([end.code, end.stderr]).toEqual([0, expect.any(String)])
  for (const record of records) {
    expect(record).toMatchObject({
      status: 'completed',
      asked_user: { via: 'AskUserQuestion', question: 'Which format?' },
    })
  }
  expect(records).toHaveLength(4)
  expect(benchmark.runs).toHaveLength(4)
  for (const { result } of benchmark.runs) expect(result).toMatchObject({ total: 1, asked_user: true })
  const note =
    'Ended by asking the user: 2 of 2 runs with skill, 2 of 2 runs without skill. Give the answer in the prompt, or in further turns.'
  expect(benchmark.notes).toContain(note)
  expect(read('benchmark.md')).toContain(note)
  expect(end.stdout).toContain(note)
})

test('only the configuration that asked is named', async () => {
  const { benchmark } = await benched('with_skill')
  const said = benchmark.notes.filter((note: string) => note.includes('asking the user'))
  expect(said).toEqual([
    'Ended by asking the user: 2 of 2 runs with skill. Give the answer in the prompt, or in further turns.',
  ])
})

test.each([
  ['asked, was refused and went on', 'go_on', 'claude-code'],
  ['never asked', 'stop', agent('tidy.mjs')],
])('%s: nothing is said', async (_, ways, engine) => {
  const { benchmark, records } = await benched(ways, engine)
  expect(records.map((record) => record.asked_user)).toEqual(records.map(() => undefined))
  expect(JSON.stringify(benchmark)).not.toContain('asking the user')
})
