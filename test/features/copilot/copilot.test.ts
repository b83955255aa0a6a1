/** What is particular to Copilot: its model, arguments and environment, its unpacked program, and what a session of the real CLI (1.0.102) amounts to. */
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EmittedEvent, EngineTask } from '../../../src/engines/engine.ts'
import {
  copilotArguments,
  copilotEndpoints,
  copilotEnvironment,
  copilotModel,
} from '../../../src/features/copilot/argv.ts'
import { copilot, linkUnpacked, listUnpacked } from '../../../src/features/copilot/copilot.ts'
import { CopilotSession, copilotFailure, copilotReport } from '../../../src/features/copilot/report.ts'
import { CopilotStream } from '../../../src/features/copilot/stream.ts'
import { fresh } from '../../e2e/program.ts'
import { ofType, processEnd, roomSkills, roomTask } from '../../engines/stage.ts'

const task: EngineTask = {
  ...roomTask,
  credentials: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', COPILOT_GITHUB_TOKEN: 'g' },
}
const chosen = (model: string | null, credentials = task.credentials) => {
  const found = copilotModel(model, credentials)
  if ('mistake' in found) throw new Error(found.mistake)
  return found
}
const environment = (model: string | null, credentials = task.credentials) =>
  copilotEnvironment({ ...task, credentials }, chosen(model, credentials))

describe('model', () => {
  test.each([
    ['anthropic/m', {}, { provider: 'anthropic', id: 'm' }],
    ['sonnet', {}, { provider: 'anthropic', id: 'claude-sonnet-5-5' }],
    ['gpt-5.5', { ANTHROPIC_API_KEY: 'a' }, { provider: 'openai', id: 'gpt-5.5' }],
    ['github/claude-sonnet-5.5', { ANTHROPIC_API_KEY: 'a' }, { provider: 'github', id: 'claude-sonnet-5.5' }],
    [null, { COPILOT_GITHUB_TOKEN: 'g' }, { provider: 'github', id: null }],
    [null, { COPILOT_GITHUB_TOKEN: 'g', OPENAI_API_KEY: 'o' }, { provider: 'openai', id: 'gpt-5.4' }],
    ['google/gemini-3', {}, { mistake: expect.stringContaining('google') }],
  ])('%s with %j', (model, credentials, found) => {
    expect(copilotModel(model, credentials)).toEqual(found)
  })
  test('cost is known before the run for a provider with prices, and never for a plan of GitHub', async () => {
    expect(await copilot.reports?.('anthropic/claude-sonnet-5-5')).toMatchObject({ cost: true, tokens: true })
    expect(await copilot.reports?.('github/claude-sonnet-5.5')).toEqual({ cost: false, tokens: true })
  })
})

describe('environment', () => {
  test("its provider's key alone, folders of its own, nothing that asks other servers", () => {
    const env = environment('anthropic/m')
    expect(env).toMatchObject({
      ...{ PATH: '/bin', COPILOT_MODEL: 'm', COPILOT_OFFLINE: 'true', COPILOT_AUTO_UPDATE: 'false' },
      ...{ COPILOT_PROVIDER_TYPE: 'anthropic', COPILOT_PROVIDER_API_KEY: 'a' },
      COPILOT_PROVIDER_BASE_URL: 'https://api.anthropic.com',
      COPILOT_HOME: `/room/home/.copilot-run/${task.sessionId}/home`,
      COPILOT_CACHE_HOME: `/room/home/.copilot-run/${task.sessionId}/cache`,
    })
    expect(Object.values(env)).not.toContain('o')
    expect(Object.values(env)).not.toContain('g')
    expect(env).not.toHaveProperty('COPILOT_PROVIDER_WIRE_API')
  })
  test.each([
    ['openai/gpt-5.5', {}, 'responses', 'https://api.openai.com/v1'],
    ['openai/llama', { OPENAI_BASE_URL: 'http://h:1/v1/' }, 'completions', 'http://h:1/v1'],
    ['openai/llama', { COPILOT_PROVIDER_WIRE_API: 'responses' }, 'responses', 'https://api.openai.com/v1'],
  ])('%s with %j speaks %s at %s', (model, more, wire, url) => {
    const env = environment(model, { ...task.credentials, ...more })
    expect(env).toMatchObject({ COPILOT_PROVIDER_WIRE_API: wire, COPILOT_PROVIDER_BASE_URL: url })
    expect(copilotEndpoints(chosen(model), { ...task.credentials, ...more })).toEqual([url])
  })
  test("GitHub's models get the token and are not offline", () => {
    const env = environment('github/gpt-5.5')
    expect(env).toMatchObject({ COPILOT_GITHUB_TOKEN: 'g', COPILOT_MODEL: 'gpt-5.5' })
    expect(env).not.toHaveProperty('COPILOT_OFFLINE')
    expect(env).not.toHaveProperty('COPILOT_PROVIDER_API_KEY')
  })
  test('an agent may do all; a judge reads below its folder, and learns nothing from it', () => {
    expect(copilotArguments(task)).toContain('--allow-all')
    const judge = copilotArguments({ ...task, tools: 'read_only' })
    expect(judge).not.toContain('--allow-all')
    expect(judge).toEqual(expect.arrayContaining(['--available-tools=view,grep,rg,glob', '--disallow-temp-dir']))
    expect(judge).toContain('--no-custom-instructions')
    expect(copilotArguments({ ...task, tools: 'none' })).toContain('--available-tools=none')
  })
})

describe('the unpacked program', () => {
  test('is linked version by version; all else of the cache folder is the own', async () => {
    const [cache, own] = [fresh(), path.join(fresh(), 'own')]
    const version = path.join(cache, 'pkg/linux-x64/1.0.102')
    mkdirSync(version, { recursive: true })
    mkdirSync(path.join(cache, 'marketplaces'))
    writeFileSync(path.join(cache, 'pkg/linux-x64/lock'), '')
    expect(await listUnpacked(cache)).toEqual([version])
    await linkUnpacked(cache, own)
    expect(readdirSync(own, { recursive: true })).toEqual(['pkg', 'pkg/linux-x64', 'pkg/linux-x64/1.0.102'])
    expect(readlinkSync(path.join(own, 'pkg/linux-x64/1.0.102'))).toBe(version)
  })
  test('nothing is linked where it was never unpacked', async () => {
    const own = path.join(fresh(), 'own')
    await linkUnpacked(path.join(fresh(), 'none'), own)
    expect(() => readdirSync(own)).toThrow('ENOENT')
  })
})

const fixture = (name: string) => path.join(import.meta.dirname, '../../fixtures/copilot', name)
const readLines = (name: string) => readFileSync(fixture(name), 'utf8').trim().split('\n')
const lines = readLines('stream.jsonl')
const record = (type: string, data: object, more: object = {}) => JSON.stringify({ type, data, ...more })

/** Plays lines of a stream; there is no session file. */
async function played(stream: readonly string[]) {
  const events: EmittedEvent[] = []
  const retries: object[] = []
  const reader = new CopilotStream({
    ...{ skills: roomSkills, skillsFolder: '.agents/skills', sessionId: task.sessionId, maxTurns: null },
    emit: (event) => events.push(event),
    onRetry: (retry) => retries.push(retry),
  })
  const session = new CopilotSession(() => '/room/none')
  session.catchUp()
  session.close()
  for (const line of stream) reader.take(line)
  const model = chosen('anthropic/claude-sonnet-5-5')
  const report = await copilotReport(reader, session, { task, model, end: processEnd })
  return { events, report, failure: copilotFailure(reader, processEnd), retries, reader }
}

describe('a session of a command, a skill with a file that is not there, and an answer', () => {
  test('two calls of a response are one step; without its session file, tokens and cost are unknown', async () => {
    const { events, report } = await played(lines)
    const calls = ofType(events, 'tool_call').map(({ name, step }) => `${name} ${step}`)
    expect(calls).toEqual(['bash 1', 'view 2', 'skill 2'])
    const failed = Object.fromEntries(ofType(events, 'tool_result').map((one) => [one.name, one.is_error]))
    expect(failed).toEqual({ bash: false, view: true, skill: false })
    expect(ofType(events, 'thinking')).toMatchObject([{ text: 'hmm', step: 1 }])
    expect(report).toMatchObject({ usage: null, cost: null, version: null, finalResponse: 'all done' })
  })
  test('records of other types and lines that are none are kept; parts of others are not', async () => {
    const { events } = await played(['{"type":"new"}', '{"type":"delta","ephemeral":true}', 'x'])
    expect(ofType(events, 'system').map(({ subtype }) => subtype)).toEqual(['init', 'new', 'unreadable'])
  })
  test("a sub-agent's responses are neither turns nor the answer; its tools are shown", async () => {
    const inner = { agentId: 'helper' }
    const { events, reader } = await played([
      record('assistant.turn_start', {}),
      record('assistant.turn_start', {}, inner),
      record('assistant.message', { content: 'inner' }, inner),
      record('model.call_failure', { statusCode: 429 }, inner),
      record('tool.execution_start', { toolCallId: 'a', toolName: 'bash', arguments: {} }, inner),
      record('tool.execution_complete', { toolCallId: 'a', success: true, result: { content: 'b' } }, inner),
    ])
    expect({ step: reader.step, text: reader.lastText, failures: reader.failures }).toEqual({
      ...{ step: 1, text: '', failures: 0 },
    })
    expect(ofType(events, 'tool_result')).toMatchObject([{ name: 'bash', output: 'b', is_error: false }])
  })
})

describe('failures', () => {
  const limited = readLines('limited.jsonl')
  test('a rate limit: each request that is sent again counts, and its wait', async () => {
    const { failure, report, retries } = await played(limited)
    expect(failure).toMatchObject({ kind: 'rate_limited', message: expect.stringContaining('retried 5 times') })
    expect(report.answered).toBe(false)
    expect(retries).toHaveLength(5)
    expect(retries[0]).toEqual({ status: 429, waitMs: expect.any(Number) })
  })
  test('Copilot, asked to end, says that all went well: lines after the end are ignored', async () => {
    const { reader } = await played([record('model.call_failure', { statusCode: 401, errorMessage: 'no' })])
    reader.close()
    reader.take('{"type":"result","exitCode":0}')
    expect(copilotFailure(reader, null)).toMatchObject({ kind: 'credentials', message: 'no' })
  })
  const answer = record('model.call_finished', { outcome: 'success' })
  const failed = (errorMessage: string, statusCode?: number) =>
    record('model.call_failure', { errorMessage, statusCode })
  const gone = '{"type":"result","exitCode":1}'
  test.each([
    ['prompt is too long: 9 > 8', 'bad_request'],
    ['error decoding response body: error reading a body from connection', 'server_error'],
    ['error sending request: connection refused', 'unreachable'],
    ['Overloaded', 'overloaded'],
  ])('%s', async (message, kind) => {
    expect((await played([failed(message), gone])).failure).toMatchObject({ kind })
  })
  test('an empty answer, as Copilot shows a refusal over the Responses API, is an answer', async () => {
    const error = record('session.error', { errorType: 'query', message: 'No response was returned. Send it again.' })
    const { failure, report } = await played([answer, error, gone])
    expect({ failure, reason: report.stopReason }).toEqual({ failure: null, reason: 'end_turn' })
  })
  test('an end without a word is a crash or bad output, with what it said', async () => {
    expect((await played([])).failure).toMatchObject({ kind: 'bad_output', message: expect.stringContaining('said') })
  })
})
