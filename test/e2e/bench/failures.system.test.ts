/** Failures of servers and programs: never a grade, retried where that helps, counted apart, a clear last line, the documented exit code. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { agent } from '../program.ts'
import { bench, keysOf, newestIn, says, withModel } from './benched.ts'

const fake = path.join(import.meta.dirname, '../../fixtures/agents/fake_claude.mjs')
const plain = ['--sandbox', 'off', '--runs', '1', '--retries', '0']

/** `bench` on a server with this fault. */
async function benchOn(fault: string, ...flags: readonly string[]) {
  const end = await withModel(`faults: [{ ${fault} }]\n${says}`, (env) => bench({ env }, ...flags, '--json'))
  return { ...end, ...newestIn(end.workspace) }
}

describe('a server that fails', () => {
  test('once: the run is tried again and graded', async () => {
    const end = await benchOn('status: 529, first: 1', '--runs', '1', '--retries', '1')
    expect(end.code, end.stderr).toBe(0)
    const retried = end.lines.filter(({ type }) => type === 'run_retried')
    expect(retried).toMatchObject([{ attempt: 1, kind: 'overloaded' }])
    expect(end.result.counts).toMatchObject({ planned: 2, used: 2, excluded: {} })
  })
  test('for ever: counted apart, exit 3, no grade, no reason to go slower', async () => {
    const end = await benchOn('status: 529', '--runs', '1', '--retries', '0')
    expect(end.code, end.stderr).toBe(3)
    expect(end.gradings).toEqual([])
    expect(end.result.counts?.excluded).toEqual({ 'failed:overloaded': 2 })
    expect(end.result.run_summary).toEqual({})
    expect(end.lines.filter(({ type }) => type === 'limit_changed')).toEqual([])
  })
  test('a key refused in the middle ends the rest at once', async () => {
    const end = await benchOn('status: 401, after: 1', '--runs', '4', '--concurrency', '1', '--retries', '1')
    const excluded = { 'failed:credentials': 1, missing: 6 }
    expect([end.code, end.result.counts]).toEqual([3, expect.objectContaining({ planned: 8, used: 1, excluded })])
  })
})

describe('a server that hangs', () => {
  const limited = ['--runs', '1', '--timeout', '1', '--retries', '1']
  test('from the start is no grade, and is asked again', async () => {
    const end = await benchOn('hang: true', ...limited)
    expect(end.code, end.stderr).toBe(3)
    expect(end.gradings).toEqual([])
    expect(end.result.counts).toMatchObject({ used: 0, excluded: { 'failed:server_error': 2 } })
    expect(end.lines.filter(({ type }) => type === 'run_retried')).toHaveLength(2)
    expect(JSON.stringify(end.lines)).toContain('the model had not answered within 1 s, the time limit of the case')
  })
  test('once it has answered is a time-out of the agent, left out where the user says so', async () => {
    const works = "rules: [{ name: works, text: TIDY, tool_calls: { name: Bash, input: { command: 'true' } } }]"
    const flags = [...limited, '--concurrency', '1', '--sandbox', 'off', '--on-timeout', 'exclude']
    const end = await withModel(`faults: [{ hang: true, after: 1 }]\n${works}`, (env) => bench({ env }, ...flags))
    const { result } = newestIn(end.workspace)
    expect(result.runs).toEqual([])
    expect(result.counts).toMatchObject({ used: 0, excluded: { 'failed:server_error': 1, timed_out: 1 } })
  })
})

test.each([
  ['openai:practice-1', {}],
  ['claude-code', { WHETSTONE_CLAUDE: fake }],
])('401 from the start, %s: no run is started', async (engine, program) => {
  const end = await withModel(`faults: [{ path: '.*', status: 401 }]\n${says}`, (env) =>
    bench({ engine, env: { ...env, ...program } }, ...plain),
  )
  const message = /^error: engine .*rejects the key[\s\S]*(ANTHROPIC|OPENAI)_API_KEY/m
  expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(message)])
})

test('the API is down for an agent CLI: no run is started', async () => {
  const env = { ...keysOf('http://127.0.0.1:9'), WHETSTONE_CLAUDE: fake }
  const end = await bench({ engine: 'claude-code', env }, ...plain)
  const message = /^error: engine .*127\.0\.0\.1:9[\s\S]*check the network/m
  expect([end.code, end.stderr]).toEqual([3, expect.stringMatching(message)])
})

test.each([
  ['command:no-such-program', {}],
  ['claude-code', { WHETSTONE_CLAUDE: '/no/such' }],
])('a program that is not there, %s: exit 2, no run is started', async (engine, program) => {
  const end = await bench({ engine, env: { ...keysOf('http://127.0.0.1:9'), ...program } }, ...plain)
  expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/^error: .*no such program.*\nhint: \S/m)])
})

test('a program that crashes at work is counted apart, exit 3', async () => {
  const end = await bench({ engine: `${agent('misbehave.mjs')} crash` }, ...plain)
  const incomplete = /INCOMPLETE: 0 of 2 planned runs are graded \(.*failed \(crash\)[\s\S]*\nfirst failure: case 1 /
  expect([end.code, end.stdout]).toEqual([3, expect.stringMatching(incomplete)])
  expect(newestIn(end.workspace).gradings).toEqual([])
})
