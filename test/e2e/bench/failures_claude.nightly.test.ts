/** The real Claude Code CLI whose server is down or refuses its key: never a grade, the documented exit code. */
import { expect, test } from 'vitest'
import { claudeBinary, needs } from '../../require.ts'
import { bench, keysOf, newestIn, says, withModel } from './benched.ts'

const claude = claudeBinary()
const program = { WHETSTONE_CLAUDE: claude ?? '' }
const how = ['--runs', '1', '--retries', '0']
const engine = 'claude-code'

needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('the real claude CLI', () => {
  test('the API is down: no run is started', async () => {
    const end = await bench({ engine, env: { ...keysOf('http://127.0.0.1:9'), ...program } }, ...how)
    expect([end.code, end.stderr]).toEqual([3, expect.stringMatching(/^error: engine .*127\.0\.0\.1:9/m)])
  })
  test('401 from the start: no run is started', async () => {
    const end = await withModel(`faults: [{ path: '.*', status: 401 }]\n${says}`, (env) =>
      bench({ engine, env: { ...env, ...program } }, ...how),
    )
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/^error: engine .*rejects the key/m)])
  })
  test('a key refused at work is counted apart, exit 3', async () => {
    const end = await withModel(`faults: [{ status: 401 }]\n${says}`, (env) =>
      bench({ engine: 'claude-code:claude-practice-1', env: { ...env, ...program } }, ...how),
    )
    expect([end.code, end.stdout]).toEqual([3, expect.stringMatching(/0 of 2 planned .*failed:credentials/)])
    expect(newestIn(end.workspace).gradings).toEqual([])
  })
})
