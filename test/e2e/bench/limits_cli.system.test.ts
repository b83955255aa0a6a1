/** A real agent CLI that is refused tells the gate, and what it gives up is started again: no run fails for a limit. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { type RunRecord, runRecord } from '../../../schemas/run.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { cliBinary, needs } from '../../require.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

const clis = [
  {
    name: 'claude',
    engine: 'claude-code:claude-practice-1',
    retries: 'CLAUDE_CODE_MAX_RETRIES',
    keys: (url: string) => ({ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice' }),
    tellsEach: true,
  },
  {
    name: 'codex',
    engine: 'codex:gpt-5.5',
    retries: 'CODEX_MAX_RETRIES',
    keys: (url: string) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'practice' }),
    tellsEach: false,
  },
] as const

for (const { name, engine, retries, keys, tellsEach } of clis) {
  const binary = cliBinary(name)
  needs(
    `the ${name} CLI`,
    binary !== null,
    'npm run agents',
  )(`429 and the real ${name} CLI`, () => {
    test('runs that it gave up are started again and graded', async () => {
      const scenario = `
faults: [{ status: 429, first: 5, path: ^/v1/(messages|responses)$ }]
rules: [{ name: says, text: 'TIDY' }]
`
      await using server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
      const skill = makeSkill([{ id: 1, prompt: 'say it', checks: [{ type: 'contains', value: 'TIDY' }] }])
      const args = ['bench', skill, '--engine', engine, '--workspace', path.join(fresh(), 'ws'), '--json']
      const how = ['--runs', '1', '--retries', '0', '--concurrency', '1', '--pass-env', retries]
      const env = { ...keys(server.url), [retries]: '1', [`WHETSTONE_${name.toUpperCase()}`]: binary ?? '' }
      const end = await whetstone([...args, ...how], { env })
      const events = end.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
      const finished = events.filter(({ type }) => type === 'run_finished')
      expect(events.at(-1), end.stderr).toMatchObject({ exit_code: 0, counts: { used: 2, excluded: {} } })
      const again = events.filter(({ type }) => type === 'run_retried')
      expect(again.map(({ kind, wait_ms }) => [kind, wait_ms])).toEqual(again.map(() => ['rate_limited', 0]))
      expect(again.length).toBeGreaterThan(0)
      expect(events.filter(({ type }) => type === 'limit_changed').length).toBeGreaterThan(0)
      const { folder } = events.find(({ type }) => type === 'plan_ready')
      const records = finished.map(({ run_id }): RunRecord => {
        return runRecord.parse(JSON.parse(readFileSync(path.join(folder, run_id, 'run.json'), 'utf8')))
      })
      const refusals = records.reduce((sum, { held_back }) => sum + (held_back?.refusals ?? 0), 0)
      expect(refusals).toBeGreaterThanOrEqual(tellsEach ? 5 : again.length)
    })
  })
}
