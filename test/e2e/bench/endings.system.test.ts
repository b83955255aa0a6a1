/** What each engine meets when its server or its program fails: never a grade, a clear last line, the documented exit code. */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { claudeBinary, needs } from '../../require.ts'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const fake = path.join(import.meta.dirname, '../../fixtures/agents/fake_claude.mjs')
const real = claudeBinary() ?? ''
const misbehave = agent('misbehave.mjs')

interface Asked {
  engine: string
  prompt?: string
  env?: Record<string, string>
  flags?: string[]
  runs?: number
  retries?: number
}

async function ended({ engine, prompt = 'say it', env = {}, flags = [], runs = 1, retries = 0 }: Asked) {
  const workspace = path.join(fresh(), 'ws')
  const skill = makeSkill([{ id: 1, prompt, checks: [{ type: 'contains', value: 'TIDY' }] }])
  const counts = ['--runs', String(runs), '--retries', String(retries)]
  const args = ['bench', skill, '--engine', engine, '--workspace', workspace, ...counts, ...flags]
  const end = await whetstone(args, { env })
  const gradings = names(workspace).filter((name) => name.endsWith('grading.json'))
  return { ...end, gradings, lines: `${end.stderr}\n${end.stdout}` }
}

function names(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' })
  } catch {
    return []
  }
}

const says = "rules: [{ name: says, text: 'TIDY' }]"
const always = (fault: string) => `faults: [{ path: '.*', ${fault} }]\n${says}`

const keysFor = (url: string) => ({
  ANTHROPIC_BASE_URL: url,
  ANTHROPIC_API_KEY: 'k',
  OPENAI_BASE_URL: `${url}/v1`,
  OPENAI_API_KEY: 'k',
})

/** With a practice server of this scenario; null: a server that is not there. */
async function withServer(scenario: string | null, asked: Asked) {
  if (scenario === null) {
    const env = { ...keysFor('http://127.0.0.1:9'), ...asked.env }
    return await ended({ ...asked, env })
  }
  await using server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  const env = { ...keysFor(server.url), ...asked.env }
  return await ended({ ...asked, env })
}

/** What, engine, scenario, exit code, what the end says. */
const fromTheStart: [string, string | null, number, RegExp][] = [
  ['the API is down', null, 3, /^error: engine .*127\.0\.0\.1:9[\s\S]*check the network/m],
  ['401', always('status: 401'), 2, /^error: engine .*rejects the key[\s\S]*(ANTHROPIC|OPENAI)_API_KEY/m],
]

describe.each([
  ['anthropic', 'anthropic:practice-1', {}],
  ['openai', 'openai:practice-1', {}],
  ['claude-code (a stand-in)', 'claude-code', { WHETSTONE_CLAUDE: fake }],
])('%s, from the start', (_name, engine, env) => {
  test.each(fromTheStart)('%s: no run is started', async (_what, scenario, code, says) => {
    const end = await withServer(scenario, { engine, env })
    expect(end.code, end.lines).toBe(code)
    expect(end.stderr).toMatch(says)
    expect(end.gradings).toEqual([])
  })
})

test.each(['anthropic', 'openai'])('%s, 429 for every third request: waited for, and all is graded', async (engine) => {
  const scenario = `faults: [{ status: 429, retry_after: 0, every: 3 }]\n${says}`
  const end = await withServer(scenario, { engine: `${engine}:practice-1`, retries: 3, runs: 4 })
  expect(end.code, end.lines).toBe(0)
  expect(end.stderr).toMatch(/^limit .*refused \(429\)/m)
  expect(end.gradings).toHaveLength(8)
})

const incomplete = (reason: string) => new RegExp(`INCOMPLETE: 0 of 2 planned runs are graded \\(.*failed:${reason}`)

describe('claude-code (a stand-in), at work', () => {
  test.each([
    ['e401', 'credentials'],
    ['e529', 'overloaded'],
    ['unreachable', 'unreachable'],
    ['half_line_and_fail', 'crash'],
    ['kill_itself', 'crash'],
    ['say_nothing', 'b|crash'],
  ])('%s is counted apart, exit 3', async (prompt, reason) => {
    const env = { WHETSTONE_CLAUDE: fake, CLAUDE_CODE_OAUTH_TOKEN: 'x' }
    const end = await ended({ engine: 'claude-code', prompt, env })
    expect(end.code, end.lines).toBe(3)
    expect(end.stdout).toMatch(incomplete(`(${reason})`))
    expect(end.gradings).toEqual([])
  })
})

test('claude-code (a stand-in), refused by 429 for ever: it waits until the deadline', async () => {
  const env = { WHETSTONE_CLAUDE: fake, CLAUDE_CODE_OAUTH_TOKEN: 'x' }
  const end = await ended({ engine: 'claude-code', prompt: 'e429', env, flags: ['--deadline', '5s'] })
  expect(end.code, end.lines).toBe(3)
  expect(end.stdout).toMatch(/stopped by the deadline[\s\S]*INCOMPLETE: 0 of 2 planned runs are graded/)
  expect(end.gradings).toEqual([])
})

describe('command, at work', () => {
  test.each(['crash', 'kill_itself'])('%s is counted apart, exit 3', async (way) => {
    const end = await ended({ engine: `${misbehave} ${way}` })
    expect(end.code, end.lines).toBe(3)
    expect(end.stdout).toMatch(incomplete('crash'))
    expect(end.stdout).toMatch(/^first failure: case 1 say-it, with skill, run 1: .*: exit code \d+/m)
    expect(end.gradings).toEqual([])
  })
})

describe('a hang ends at the timeout', () => {
  const flags = ['--timeout', '1', '--on-timeout', 'exclude']
  test("of a program of the user's: its own failure", async () => {
    const end = await ended({ engine: `${misbehave} ignore_sigterm`, flags })
    expect(end.code, end.lines).toBe(3)
    expect(end.stdout).toContain('2 of 2 planned runs are not in the rates: 2 timed out')
  })
  test('of an agent whose model never answered: a failure of infrastructure', async () => {
    const env = { WHETSTONE_CLAUDE: fake, CLAUDE_CODE_OAUTH_TOKEN: 'x' }
    const end = await ended({ engine: 'claude-code', prompt: 'hang', env, flags })
    expect(end.code, end.lines).toBe(3)
    expect(end.stdout).toMatch(incomplete('server_error'))
  })
})

describe('a program that is not there: exit 2, no run is started', () => {
  test.each<[string, Asked]>([
    ['command', { engine: 'command:no-such-program' }],
    ['claude-code', { engine: 'claude-code', env: { WHETSTONE_CLAUDE: '/no/such', ANTHROPIC_API_KEY: 'k' } }],
  ])('%s', async (_name, asked) => {
    const end = await ended(asked)
    expect(end.code, end.lines).toBe(2)
    expect(end.stderr).toMatch(/^error: .*no such program.*\nhint: \S/m)
    expect(end.gradings).toEqual([])
  })
})

needs(
  'the claude CLI',
  real !== '',
  'npm run agents',
)('the real claude CLI', () => {
  const env = { WHETSTONE_CLAUDE: real }
  test.each(fromTheStart)('%s: no run is started', async (_what, scenario, code, says) => {
    const end = await withServer(scenario, { engine: 'claude-code', env })
    expect(end.code, end.lines).toBe(code)
    expect(end.stderr).toMatch(says)
  })
  test('a key refused at work is counted apart, exit 3', async () => {
    const scenario = `faults: [{ status: 401 }]\n${says}`
    const end = await withServer(scenario, { engine: 'claude-code:claude-practice-1', env })
    expect(end.code, end.lines).toBe(3)
    expect(end.stdout).toMatch(incomplete('credentials'))
    expect(end.gradings).toEqual([])
  })
})
