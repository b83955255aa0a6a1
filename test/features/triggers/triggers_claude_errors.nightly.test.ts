/** The real claude CLI that is refused or rate-limited, between runs and in the middle of one: an error, never "not triggered". */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { claudeBinary, needs } from '../../require.ts'
import { type Model, measured, queries, whole } from './triggers_stage.ts'

const [should, shouldNot] = [queries.slice(0, 1), queries.slice(1, 2)]
const some = [...should, ...shouldNot]
const single = ['--runs', '1', '--concurrency', '1', '--retries', '0']

const asked = (more: { model?: Model; args?: readonly string[]; scenario?: object }) =>
  measured({ engine: 'claude-code', model: 'keyword', set: some, args: single, ...more })

/** The agent works once, and is refused when it wants to go on: it has read nothing by then. */
const inTheMiddle = (fault: object) => [
  {
    name: 'looks around',
    when: { turn: 1, tool: '^Bash$' },
    tool_calls: { name: 'Bash', input: { command: 'ls', description: 'ls' } },
  },
  { name: 'is refused', when: { turn: 2, tool: '^Bash$' }, fault },
  { name: 'answers', text: 'Nothing to tidy here.' },
]

needs(
  'the claude CLI',
  claudeBinary() !== null,
  'npm run agents',
)('the real claude CLI', () => {
  test.each([
    [401, 'credentials'],
    [500, 'server_error'],
  ])('%s in the middle of a run: an error of its kind, in no rate, exit 3', async (status, kind) => {
    const { end, made, folder } = await asked({
      scenario: { rules: inTheMiddle({ status, retry_after: 0 }) },
      args: [...single, '--timeout', '60'],
    })
    expect(end.code, end.stderr).toBe(3)
    const { results, summary, complete, metrics } = whole({ made, end })
    expect({ complete, decided: summary.runs_decided, passed: summary.passed }).toEqual({
      complete: false,
      decided: 0,
      passed: 0,
    })
    const [first] = results[0]?.query_runs ?? []
    expect(first).toMatchObject({ outcome: 'error', before: ['Bash'], error: { kind } })
    for (const { trigger_rate, pass } of results) expect([trigger_rate, pass]).toEqual([null, null])
    expect([metrics.recall, metrics.precision, metrics.false_trigger_rate]).toEqual([null, null, null])
    const record = JSON.parse(readFileSync(path.join(folder, first?.run_id ?? '', 'run.json'), 'utf8'))
    expect(record).toMatchObject({ status: 'failed', engine: { name: 'claude-code' }, error: { kind } })
  })
  test('control: the same agent that is not refused did not trigger', async () => {
    const { end, made } = await asked({ scenario: { rules: inTheMiddle({ status: 401, after: 99 }) } })
    expect(end.code, end.stderr).toBe(0)
    const { results } = whole({ made, end })
    expect(results.map(({ trigger_rate, pass }) => [trigger_rate, pass])).toEqual([
      [0, false],
      [0, true],
    ])
  })
  test('a storm of 429 is waited out, and changes no rate', async () => {
    const { end, made, refusals } = await asked({
      args: ['--runs', '2', '--concurrency', '4'],
      scenario: { max_in_flight: 1, latency: 400 }, // long enough for requests to meet on a busy machine
    })
    expect(end.code, end.stderr).toBe(0)
    expect(refusals).toBeGreaterThan(0)
    expect(whole({ made, end }).results.map(({ trigger_rate }) => trigger_rate)).toEqual([1, 0])
  })
})
