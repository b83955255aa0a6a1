/** An agent that asks the user and stops is graded like another, and every report says how many runs did so. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { bench, newestIn, says, withModel } from './benched.ts'

const asking = path.join(import.meta.dirname, '../../fixtures/agents/asking_claude.mjs')
const how = ['--runs', '2', '--pass-env', 'ASKS', '--retries', '0', '--sandbox', 'off']

async function benched(ways: string) {
  const end = await withModel(says, (env) =>
    bench({ engine: 'claude-code', env: { ...env, WHETSTONE_CLAUDE: asking, ASKS: ways } }, ...how),
  )
  expect(end.code, end.stderr).toBe(0)
  return { end, ...newestIn(end.workspace) }
}

test('asks and stops: graded, in run.json, benchmark.json, benchmark.md and on the terminal', async () => {
  const { end, read, result, records } = await benched('stop')
  const asked_user = { via: 'AskUserQuestion', question: 'Which format?' }
  expect(records).toMatchObject([1, 2, 3, 4].map(() => ({ status: 'completed', asked_user })))
  expect(result.runs.map((run) => run.result)).toMatchObject([1, 2, 3, 4].map(() => ({ total: 1, asked_user: true })))
  const note =
    'Ended by asking the user: 2 of 2 runs with skill, 2 of 2 runs without skill. Give the answer in the prompt, or in further turns.'
  expect(result.notes).toContain(note)
  expect(read('benchmark.md')).toContain(note)
  expect(end.stdout).toContain(note)
})

test('only the configuration that asked is named', async () => {
  const { result } = await benched('with_skill')
  expect(result.notes.filter((note) => note.includes('asking the user'))).toEqual([
    'Ended by asking the user: 2 of 2 runs with skill. Give the answer in the prompt, or in further turns.',
  ])
})
