/** A real agent CLI that is refused tells the gate, and what it gives up is started again: no run fails for a limit. */
import { expect, test } from 'vitest'
import { cliBinary, needs } from '../../require.ts'
import { bench, newestIn, sum, withModel } from './benched.ts'

const clis = [
  {
    name: 'claude',
    engine: 'claude-code:claude-practice-1',
    retries: 'CLAUDE_CODE_MAX_RETRIES',
    tellsEach: true,
  },
  {
    name: 'codex',
    engine: 'codex:gpt-5.5',
    retries: 'CODEX_MAX_RETRIES',
    tellsEach: false,
  },
] as const

for (const { name, engine, retries, tellsEach } of clis) {
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
      const how = ['--runs', '1', '--retries', '0', '--concurrency', '1', '--pass-env', retries, '--json']
      const end = await withModel(scenario, (keys) => {
        const env = { ...keys, [retries]: '1', [`WHETSTONE_${name.toUpperCase()}`]: binary ?? '' }
        return bench({ engine, env }, ...how)
      })
      const eventsOf = (kind: string) => end.lines.filter(({ type }) => type === kind)
      expect(end.lines.at(-1), end.stderr).toMatchObject({ exit_code: 0, counts: { used: 2, excluded: {} } })
      const again = eventsOf('run_retried').map(({ kind, wait_ms }) => [kind, wait_ms])
      expect(again).toEqual(again.map(() => ['rate_limited', 0]))
      expect(again.length).toBeGreaterThan(0)
      expect(eventsOf('limit_changed').length).toBeGreaterThan(0)
      const refusals = sum(newestIn(end.workspace).records.map(({ held_back }) => held_back?.refusals ?? 0))
      expect(refusals).toBeGreaterThanOrEqual(tellsEach ? 5 : again.length)
    })
  })
}
