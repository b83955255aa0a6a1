/** What is particular to opencode: its model, configuration and environment, and what a stream and a log of the real CLI (1.18.33) amount to. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EmittedEvent, EngineTask } from '../../../src/engines/engine.ts'
import { opencodeEnvironment } from '../../../src/features/opencode/argv.ts'
import { opencode, runOpencode } from '../../../src/features/opencode/opencode.ts'
import { OpencodeLog, opencodeFailure, opencodeReport } from '../../../src/features/opencode/report.ts'
import { OpencodeStream } from '../../../src/features/opencode/stream.ts'
import { fresh } from '../../e2e/program.ts'
import { ofType, perform, processEnd, roomSkills, roomTask } from '../../engines/stage.ts'

const task: EngineTask = {
  ...{ ...roomTask, model: 'anthropic/m', env: { ...roomTask.env, XDG_CONFIG_HOME: '/room/home/.config' } },
  credentials: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', WHETSTONE_OPENCODE: '/opt/opencode' },
}
const configured = (more: Partial<EngineTask>) =>
  JSON.parse(opencodeEnvironment({ ...task, ...more }).OPENCODE_CONFIG_CONTENT ?? '')

describe('environment', () => {
  test("its provider's key alone, folders of its own, nothing that asks other servers", () => {
    const env = opencodeEnvironment(task)
    expect(env).toMatchObject({ PATH: '/bin', ANTHROPIC_API_KEY: 'a', OPENCODE_DISABLE_MODELS_FETCH: '1' })
    expect(env).not.toHaveProperty('OPENAI_API_KEY')
    expect(env).not.toHaveProperty('WHETSTONE_OPENCODE')
    expect(env.XDG_CONFIG_HOME).toBe(`/room/home/.opencode-run/${task.sessionId}/config`)
  })
  test.each([
    ['anthropic/m', {}, 'anthropic', 'https://api.anthropic.com/v1'],
    ['anthropic/m', { ANTHROPIC_BASE_URL: 'http://h:1/' }, 'anthropic', 'http://h:1/v1'],
    ['openai/m', { OPENAI_BASE_URL: 'http://h:1/v1' }, 'openai', 'http://h:1/v1'],
  ])('%s with %j is asked at %s %s', (model, urls, provider, url) => {
    const config = configured({ model, credentials: { ...task.credentials, ...urls } })
    expect(config).toMatchObject({ model, small_model: model, enabled_providers: [provider], share: 'disabled' })
    expect(config.provider[provider]).toEqual({ options: { baseURL: url }, models: { m: {} } })
  })
  test('an agent may do all; a judge reads, and learns nothing from its folder', () => {
    expect(configured({}).permission['*']).toBe('allow')
    const reads = { read: 'allow', glob: 'allow', grep: 'allow', list: 'allow' }
    const judge = { '*': 'deny', ...reads, external_directory: 'deny' }
    expect(configured({ tools: 'read_only' }).permission).toEqual(judge)
    expect(configured({ tools: 'none' }).permission).toEqual({ '*': 'deny' })
    expect(opencodeEnvironment({ ...task, tools: 'read_only' })).toHaveProperty('OPENCODE_DISABLE_PROJECT_CONFIG', '1')
    expect(opencodeEnvironment(task)).not.toHaveProperty('OPENCODE_DISABLE_PROJECT_CONFIG')
  })
})

const fixture = (name: string) => readFileSync(path.join(import.meta.dirname, '../../fixtures/opencode', name), 'utf8')
const lines = fixture('stream.jsonl').trim().split('\n')

/** Plays lines of a stream, and a log. */
async function played(stream: readonly string[], more: { log?: string; maxTurns?: number; stopped?: boolean } = {}) {
  const data = fresh()
  mkdirSync(path.join(data, 'opencode/log'), { recursive: true })
  appendFileSync(path.join(data, 'opencode/log/opencode.log'), more.log ?? '')
  const [events, retries]: [EmittedEvent[], [string, number][]] = [[], []]
  const log = new OpencodeLog(data, (error, waitMs) => retries.push([error, waitMs]))
  const emit = (event: EmittedEvent) => events.push(event)
  const maxTurns = more.maxTurns ?? null
  const opencode = new OpencodeStream({ skills: roomSkills, skillsFolder: '.agents/skills', emit, maxTurns })
  const ends = stream.map((line) => opencode.take(line))
  const inARow = log.retries()
  const end = more.stopped ? null : processEnd
  const model = { provider: 'anthropic', id: 'claude-sonnet-5-5' } as const
  const report = await opencodeReport(opencode, log, { model, offered: ['demo'], end })
  const failure = opencodeFailure(opencode, log, end)
  log.close()
  return { events, ends, report, failure, inARow, retries }
}

describe('a session of a command, a skill with a file that is not there, and an answer', () => {
  test('steps, tools, what was read', async () => {
    const { events } = await played(lines)
    const calls = ofType(events, 'tool_call').map(({ name, step }) => `${name} ${step}`)
    expect(calls).toEqual(['bash 1', 'read 2', 'skill 2'])
    expect(ofType(events, 'tool_result').map((one) => one.is_error)).toEqual([false, true, false])
    expect(ofType(events, 'skill_read')).toMatchObject([{ skill: 'demo', via: 'skill', step: 2 }])
    expect(ofType(events, 'assistant').map(({ text, step }) => `${text} ${step}`)).toEqual([
      'I write it. 1',
      'all done 3',
    ])
  })
  test('the report; its own cost of 0 is none', async () => {
    const { report, failure, ends } = await played(lines, { log: fixture('refused.txt') })
    expect(failure).toBeNull()
    expect(ends.at(-1)).toBe('last')
    const told = { version: '1.18.33', provider: 'anthropic', stopReason: 'end_turn', finalResponse: 'all done' }
    expect(report).toMatchObject(told)
    expect(report.loaded).toEqual({ skills: ['demo'], tools: null, mcp_servers: null }) // the others it does not tell
    expect(report.sessionId).toMatch(/^ses_/)
    expect(report.usage?.input_tokens).toBeGreaterThan(20_000)
    expect(report.cost).toMatchObject({ source: 'estimated' })
  })
  test('ends after the turns that it may have', async () => {
    const { ends, report, failure } = await played(lines.slice(0, 8), { maxTurns: 2, stopped: true })
    expect(ends.filter((one) => one === 'enough')).toHaveLength(1)
    expect({ stopReason: report.stopReason, failure }).toEqual({ stopReason: 'max_turns', failure: null })
  })
  test('records of other types and lines that are none are kept', async () => {
    const { events } = await played(['{"type":"new"}', 'x'])
    expect(ofType(events, 'system').map(({ subtype }) => subtype)).toEqual(['new', 'unreadable'])
  })
  test.each([
    [{ input: 10, output: 5, reasoning: 3 }, 8],
    [{ total: 18, input: 10, output: 5, reasoning: 3 }, 8],
    [{ total: 15, input: 10, output: 5, reasoning: 3 }, 5],
  ])('reasoning is part of the output, once: %j', async (tokens, output) => {
    const { report } = await played([
      JSON.stringify({ type: 'step_finish', part: { reason: 'stop', tokens, cost: 0 } }),
    ])
    expect(report.usage).toMatchObject({ output_tokens: output, reasoning_tokens: 3 })
  })
  test.each([
    ['length', 'max_tokens'],
    ['content-filter', 'refusal'],
    ['other', 'other'],
  ])('its end %s is %s in the words of all engines', async (reason, stopReason) => {
    const { report } = await played([JSON.stringify({ type: 'step_finish', part: { reason, cost: 0 } })])
    expect(report.stopReason).toBe(stopReason)
  })
  test('its own cost where it has one', async () => {
    const part = { reason: 'stop', tokens: { input: 1, output: 1 }, cost: 0.25 }
    const { report } = await played([JSON.stringify({ type: 'step_finish', part })])
    expect(report.cost).toEqual({ usd: 0.25, source: 'agent' })
  })
})

test('a call with an input nested without end is bad output', async () => {
  const input = `{"x":${'['.repeat(3000)}${']'.repeat(3000)}}`
  const call = `{"type":"tool_use","part":{"tool":"bash","callID":"c","state":{"status":"completed","input":${input}}}}`
  const { failure } = await played([call, ...lines])
  expect(failure).toMatchObject({ kind: 'bad_output', message: expect.stringContaining('nested deeper') })
})

describe('a server that refuses', () => {
  test('each retry is heard with its wait, and they are counted in a row', async () => {
    const { inARow, retries } = await played([], { log: fixture('refused.txt') })
    expect(inARow).toBe(4)
    expect(retries.map(([error]) => error)).toEqual(Array(3).fill('AI_APICallError: practice 429'))
    expect(retries.map(([, ms]) => Math.round(ms / 1000))).toEqual([2, 5, 9])
  })
  test('what was ended for it fails by what it said', async () => {
    const { failure } = await played([], { log: fixture('refused.txt'), stopped: true })
    expect(failure).toMatchObject({ kind: 'rate_limited', retryable: true })
    const gone = fixture('refused.txt').replaceAll('practice 429', 'status 404')
    const { failure: other } = await played([], { log: gone, stopped: true })
    expect(other).toMatchObject({ kind: 'bad_request', retryable: false })
  })
  test.each([
    [{ name: 'APIError', data: { message: 'no', statusCode: 401 } }, 'credentials'],
    [{ name: 'APIError', data: { message: 'Overloaded' } }, 'overloaded'],
    [{ name: 'UnknownError', data: { message: 'Unable to connect' } }, 'unreachable'],
    [{ name: 'UnknownError', data: { message: 'The socket connection was closed unexpectedly' } }, 'server_error'],
    [{ name: 'ContextOverflowError', data: { message: 'full' } }, 'bad_request'],
    [{ name: 'UnknownError' }, 'server_error'],
  ])('%j: %s', async (error, kind) => {
    expect((await played([JSON.stringify({ type: 'error', error })])).failure).toMatchObject({ kind })
  })
  test.each([
    [{ name: 'ContentFilterError', data: { message: 'blocked' } }, 'refusal'],
    [{ name: 'ContextOverflowError', data: { message: 'full' } }, 'context_window'],
    [{ name: 'APIError', data: { message: 'prompt is too long', statusCode: 400 } }, 'context_window'],
  ])("%j after an answer: the agent's own end", async (error, stopReason) => {
    const { failure, report } = await played([...lines, JSON.stringify({ type: 'error', error })])
    expect({ failure, stopReason: report.stopReason }).toEqual({ failure: null, stopReason })
  })
  test('a stream without an end says so', async () => {
    const { failure } = await played(lines.slice(0, 4))
    expect(failure).toMatchObject({ kind: 'bad_output', message: expect.stringContaining('said') })
  })
})

/** Plays `lines` of a shell as the CLI, with no retry allowed; gives how it ended and the folder that it ran in. */
async function playedBy(lines: readonly string[]) {
  const home = fresh()
  const program = path.join(home, 'opencode')
  const log = 'log() { echo "timestamp=2026-11-23T10:00:00Z $1" >> "$XDG_DATA_HOME/opencode/log/opencode.log"; }'
  const head = ['#!/bin/sh', '[ "$1" = run ] || exit 0', 'mkdir -p "$XDG_DATA_HOME/opencode/log"', log]
  writeFileSync(program, [...head, ...lines].join('\n'), { mode: 0o755 })
  const env = { PATH: process.env.PATH ?? '', HOME: home, OPENCODE_MAX_RETRIES: '0' }
  const credentials = { ...task.credentials, WHETSTONE_OPENCODE: program }
  const { outcome } = await perform({ ...opencode, run: runOpencode }, { ...task, cwd: home, env, credentials })
  return { outcome, home }
}
const logged = (error: string) => `log 'message="stream error" error.error="AI_APICallError: ${error}"'`

test('what it says of a request that it won’t try again counts, though its log was first', async () => {
  const said = { type: 'error', error: { name: 'APIError', data: { message: 'gone', statusCode: 404 } } }
  const { outcome } = await playedBy([logged('gone'), 'sleep 0.55', `echo '${JSON.stringify(said)}'`])
  expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'bad_request', message: 'gone', retryable: false } })
})

test.each([
  ['says that it waits for', [logged('429 too many requests')], 'rate_limited'],
  ['has begun', [logged('boom'), "log 'message=stream providerID=p'"], 'server_error'],
])('is ended before a request too many that it %s is answered', async (_, before, kind) => {
  const { outcome, home } = await playedBy([...before, 'sleep 1', 'touch "$HOME/answered"'])
  expect(outcome).toMatchObject({ status: 'failed', error: { kind, retryable: true } })
  expect(existsSync(path.join(home, 'answered'))).toBe(false)
})
