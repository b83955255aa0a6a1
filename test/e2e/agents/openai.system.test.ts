/** A whole benchmark through the openai engine, as agent and as judge: the same scenario gives the same over every API. */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Benchmark, benchmark } from '../../../schemas/benchmark.ts'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { runRecord } from '../../../schemas/run.ts'
import { loadScenario, parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/practice/server.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

const example = path.join(import.meta.dirname, '../../../workspaces/example')

/** A server for the demo's scenario; without the Responses API where asked. */
async function demoServer(chatOnly: boolean): Promise<PracticeServer> {
  const scenario = await loadScenario(path.join(example, 'practice.yaml'))
  const { faults } = parseScenario(
    '{ rules: [], faults: [{ status: 404, path: "^/v1/responses$", message: no }] }',
    'x',
  )
  return startPractice({ scenario: { ...scenario, models: undefined, faults: chatOnly ? faults : [] } })
}

interface Benched {
  folder: string
  result: Benchmark
  paths: string[]
}

async function benched(engine: string, chatOnly = false): Promise<Benched> {
  await using server = await demoServer(chatOnly)
  const folder = fresh()
  const skill = path.join(folder, 'invoice-totals')
  cpSync(path.join(example, 'invoice-totals'), skill, { recursive: true })
  const url = engine.startsWith('openai') ? `${server.url}/v1` : server.url
  const flags = ['--engine', engine, '--base-url', url, '--runs', '1', '--concurrency', '2']
  const env = { ANTHROPIC_API_KEY: 'practice', OPENAI_API_KEY: 'practice' }
  const workspace = path.join(folder, 'ws')
  const end = await whetstone(['bench', skill, ...flags, '--workspace', workspace], { env })
  expect(end.code, end.stderr).toBe(0)
  const benchmarks = path.join(workspace, 'benchmarks')
  const made = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  const result = benchmark.parse(JSON.parse(readFileSync(path.join(made, 'benchmark.json'), 'utf8')))
  return { folder: made, result, paths: [...new Set(server.requests.map((one) => `${one.method} ${one.path}`))] }
}

const outcomes = ({ result }: Benched) =>
  result.runs.map(({ eval_id, configuration, result: { pass_rate } }) => [eval_id, configuration, pass_rate])

describe('the demo over each API', () => {
  test('gives the same runs and gradings, and asks nothing but that API', async () => {
    const messages = await benched('anthropic:claude-haiku-5-5')
    const responses = await benched('openai:gpt-5.4-mini')
    const chat = await benched('openai:gpt-5.4-mini', true)
    expect(outcomes(responses)).toEqual(outcomes(messages))
    expect(outcomes(chat)).toEqual(outcomes(messages))
    expect(new Set(outcomes(messages).map(([, , rate]) => rate)).size).toBeGreaterThan(1)
    expect(responses.paths).toEqual(['GET /v1/models', 'GET /v1/models/gpt-5.4-mini', 'POST /v1/responses'])
    expect(chat.paths.slice(2)).toEqual(['POST /v1/responses', 'POST /v1/chat/completions'])
    const record = JSON.parse(
      readFileSync(path.join(responses.folder, 'eval-1-march-summary/with_skill/run-1/run.json'), 'utf8'),
    )
    expect(runRecord.parse(record)).toMatchObject({
      engine: { name: 'openai', model: 'gpt-5.4-mini', provider: 'openai' },
      cost: { source: 'estimated' },
      skill: { offered: true, read: true },
    })
  }, 120_000)
})

const evals = [{ id: 1, prompt: 'say it', checks: [{ type: 'contains', value: 'TIDY' }] }]

describe('--base-url', () => {
  const plan = async (flags: string[]) => {
    const { code, stdout, stderr } = await whetstone(['bench', makeSkill(evals), '--dry-run', '--json', ...flags], {
      env: { OPENAI_API_KEY: 'practice' },
    })
    // nothing listens there, which the start would refuse (3): the plan comes first
    const [first = ''] = stdout.split('\n')
    return { code, stderr, plan: code === 2 ? null : planSchema.parse(JSON.parse(first)) }
  }
  test('is part of the plan, and another address is another plan', async () => {
    const [one, same, other] = await Promise.all(
      ['http://127.0.0.1:1/v1', 'http://127.0.0.1:1/v1/', 'http://127.0.0.1:2/v1'].map((url) =>
        plan(['--engine', 'openai', '--base-url', url]),
      ),
    )
    expect(one?.plan?.options.engine).toEqual({ name: 'openai', model: null, base_url: 'http://127.0.0.1:1/v1' })
    expect(same?.plan?.runs.map(({ key }) => key)).toEqual(one?.plan?.runs.map(({ key }) => key))
    expect(other?.plan?.runs.map(({ key }) => key)).not.toEqual(one?.plan?.runs.map(({ key }) => key))
  })
  test('with a password in it: refused, exit 2, not shown', async () => {
    const { code, stderr } = await plan(['--engine', 'openai', '--base-url', 'https://u:hunter2@host/v1'])
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--base-url') })
    expect(stderr).not.toContain('hunter2')
  })
})

describe('instructions above the temporary folder', () => {
  const around = (engine: string, url: string) => {
    const folder = fresh()
    mkdirSync(path.join(folder, 'tmp'))
    writeFileSync(path.join(folder, 'CLAUDE.md'), 'Be brief.')
    const env = { OPENAI_API_KEY: 'practice', OPENAI_BASE_URL: `${url}/v1`, TMPDIR: path.join(folder, 'tmp') }
    return whetstone(['bench', makeSkill(evals), '--engine', engine, '--runs', '1'], { env })
  }
  test('are no matter for an engine that does not look there, and stop one that may', async () => {
    await using server = await startPractice({ scenario: parseScenario('rules: [{ name: a, text: TIDY }]', 'x') })
    const ours = await around('openai:practice-1', server.url)
    expect(ours.code, ours.stderr).toBe(0)
    const other = await around('command:true', server.url)
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('CLAUDE.md') })
  })
})

test('a reserved engine: unsupported-engine, how it is started, exit 2', async () => {
  const { code, stdout, stderr } = await whetstone(['bench', makeSkill(evals), '--engine', 'cursor', '--json'])
  expect(code).toBe(2)
  expect(stderr).toContain('unsupported-engine')
  expect(JSON.parse(stdout)).toMatchObject({
    type: 'error',
    code: 'unsupported-engine',
    exit_code: 2,
    fix: 'start it as a program: --engine "acp:cursor-agent acp"',
  })
})
