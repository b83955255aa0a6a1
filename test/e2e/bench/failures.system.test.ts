/** Failures of servers and programs: never a grade, retried where that helps, counted apart, a clear last line, the documented exit code. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { agent, makeSkill } from '../program.ts'
import { bench, keysOf, newestIn, tidyCases, withModel } from './benched.ts'

const says = "rules: [{ name: says, text: 'TIDY' }]"
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
  test.each([
    ['529', 'status: 529', 'failed:overloaded'],
    ['a cut stream', 'cut: 3', 'failed:'],
  ])('for ever, %s: counted apart, exit 3, no grade, no reason to go slower', async (_, fault, counted) => {
    const end = await benchOn(fault, '--runs', '1', '--retries', '0')
    expect(end.code, end.stderr).toBe(3)
    expect(end.gradings).toEqual([])
    expect(Object.entries(end.result.counts?.excluded ?? {})).toEqual([[expect.stringContaining(counted), 2]])
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
  test.each([
    ['is a time-out of the agent: every expectation fails, saying so', [], 1],
    ['is left out where the user says so', ['--on-timeout', 'exclude'], 0],
  ])('once it has answered, it %s', async (_, more, used) => {
    const works = "rules: [{ name: works, text: TIDY, tool_calls: { name: Bash, input: { command: 'true' } } }]"
    const end = await withModel(`faults: [{ hang: true, after: 1 }]\n${works}`, (env) =>
      bench({ env }, ...limited, '--concurrency', '1', '--sandbox', 'off', ...more),
    )
    const { result } = newestIn(end.workspace)
    const timedOut = { passed: false, decided_by: 'timeout', evidence: 'The run timed out after 1 s' }
    const expected = used === 1 ? [expect.objectContaining(timedOut)] : []
    expect(result.runs.map((run) => run.expectations[0])).toEqual(expected)
    const excluded = { 'failed:server_error': 1, ...(used === 0 && { timed_out: 1 }) }
    expect(result.counts).toMatchObject({ used, excluded })
  })
})

describe.each([
  ['anthropic:practice-1', {}],
  ['openai:practice-1', {}],
  ['claude-code', { WHETSTONE_CLAUDE: fake }],
])('%s, from the start: no run is started', (engine, program) => {
  test('the API is down', async () => {
    const end = await bench({ engine, env: { ...keysOf('http://127.0.0.1:9'), ...program } }, ...plain)
    const message = /^error: engine .*127\.0\.0\.1:9[\s\S]*check the network/m
    expect([end.code, end.stderr]).toEqual([3, expect.stringMatching(message)])
  })
  test('401', async () => {
    const end = await withModel(`faults: [{ path: '.*', status: 401 }]\n${says}`, (env) =>
      bench({ engine, env: { ...env, ...program } }, ...plain),
    )
    const message = /^error: engine .*rejects the key[\s\S]*(ANTHROPIC|OPENAI)_API_KEY/m
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(message)])
  })
})

describe('a program that fails at work is counted apart, exit 3', () => {
  const incomplete = (kind: string) =>
    new RegExp(`INCOMPLETE: 0 of 2 planned runs are graded \\(.*failed:${kind}[\\s\\S]*\\nfirst failure: case 1 `)
  test.each([
    ['a crash', `${agent('misbehave.mjs')} crash`, 'say it', 'crash'],
    ['a key that is refused', 'claude-code', 'e401', 'credentials'],
  ])('%s', async (_, engine, prompt, kind) => {
    const env = { WHETSTONE_CLAUDE: fake, CLAUDE_CODE_OAUTH_TOKEN: 'x' }
    const end = await bench({ engine, env, skill: makeSkill([{ ...tidyCases(1)[0], prompt }]) }, ...plain)
    expect([end.code, end.stdout]).toEqual([3, expect.stringMatching(incomplete(kind))])
    expect(newestIn(end.workspace).gradings).toEqual([])
  })
  test("a hang of a program of the user's ends at the timeout: its own failure", async () => {
    const engine = `${agent('misbehave.mjs')} ignore_sigterm`
    const end = await bench({ engine }, ...plain, '--timeout', '1', '--on-timeout', 'exclude')
    const message = '2 of 2 planned runs are not in the rates: 2 timed out'
    expect([end.code, end.stdout]).toEqual([3, expect.stringContaining(message)])
  })
})

test.each([
  ['command:no-such-program', {}],
  ['claude-code', { WHETSTONE_CLAUDE: '/no/such', ANTHROPIC_API_KEY: 'k' }],
])('a program that is not there, %s: exit 2, no run is started', async (engine, env) => {
  const end = await bench({ engine, env }, ...plain)
  expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/^error: .*no such program.*\nhint: \S/m)])
})
