/** The acp engine with small agents, as real executables: what a turn gives, and that every bad agent has a clear end. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import { noSandboxWish } from '../../../src/base/sandbox/choose.ts'
import { findCommandParts } from '../../../src/base/sandbox/programs.ts'
import type { EngineTask } from '../../../src/engines/engine.ts'
import { createAcpEngine } from '../../../src/features/acp/acp.ts'
import { createEarlyReport } from '../../../src/phases/2-run/run_with_timeout.ts'
import { confine } from '../../../src/phases/2-run/workspace/sandbox_policy.ts'
import { agents, ofType, perform, stageOfEachTest } from '../../engines/stage.ts'
import { foundSandbox, needsSandbox } from '../../sandbox/needs_sandbox.ts'

const acp = createAcpEngine({ startMs: 60_000 })
const hasty = createAcpEngine({ startMs: 300 })

const stage = stageOfEachTest()

const command = (way: string) => `node ${agents}/acp_agent.mjs ${way}`
const run = (way: string, more: Partial<EngineTask> = {}) =>
  perform(acp, stage.task({ command: command(way), ...more }))
const variable = (name: string) => `\${${name}}`
const noneLeft = () =>
  vi.waitFor(async () => expect(await findMarkedProcesses(stage.mark)).toEqual([]), { timeout: 5000, interval: 50 })

describe('a turn', () => {
  test('gives its text, thoughts, calls, tokens, version, session and model', async () => {
    const { outcome, events } = await run('good', { prompt: 'make it' })
    expect(outcome).toMatchObject({
      status: 'completed',
      report: {
        finalResponse: 'turn 1, model small: all done',
        version: '1.2.3',
        model: 'small',
        sessionId: 'session-1',
        usage: { input_tokens: 100, output_tokens: 20, cache_read_tokens: 30, cache_write_tokens: 0 },
        stopReason: 'end_turn',
        permissionDenials: [],
        answered: true,
      },
    })
    expect(events.map(({ type, step }) => `${type} ${step}`)).toEqual([
      'thinking 1',
      'assistant 1',
      'tool_call 1',
      'tool_result 1',
      'assistant 2',
      'result 2',
    ])
    expect(ofType(events, 'assistant')[0]?.text).toBe('I write it.')
    expect(ofType(events, 'tool_call')).toMatchObject([{ name: 'edit', input: { path: `${stage.cwd}/turn-1.txt` } }])
    expect(await readFile(path.join(stage.cwd, 'turn-1.txt'), 'utf8')).toBe('make it')
    await noneLeft()
  })

  test('tokens of the last of several responses are not those of the run; control: more than the context holds are', async () => {
    const last = await run('last_count')
    expect(last.outcome.report.usage).toBeNull()
    expect(ofType(last.events, 'system').map(({ subtype }) => subtype)).toContain('tokens_not_known')
    const sum = await run('sum_count')
    expect(sum.outcome.report.usage).toMatchObject({ input_tokens: 100, cache_read_tokens: 30 })
    expect(ofType(sum.events, 'system').map(({ subtype }) => subtype)).not.toContain('tokens_not_known')
  })

  test('a user that fails ends the run and the agent', async () => {
    const nextMessage = () => Promise.reject(new Error('the user is gone'))
    await expect(run('good', { nextMessage })).rejects.toThrow('the user is gone')
    await noneLeft()
  })

  test('sets the model where the agent offers it', async () => {
    const { outcome } = await run('good', { model: 'large' })
    expect(outcome.report).toMatchObject({ model: 'large', finalResponse: 'turn 1, model large: all done' })
  })

  test.each([
    ['good', 'huge', /does not offer the model huge/],
    ['mute', 'large', /does not let a client choose its model/],
  ])('%s with the model %s is refused before a prompt', async (way, model, message) => {
    const { outcome, events } = await run(way, { model })
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { kind: 'bad_request', retryable: false, message: expect.stringMatching(message) },
    })
    expect(events.filter(({ type }) => type !== 'error')).toEqual([])
  })

  test('a judge may only read below its folder', async () => {
    const { outcome, events } = await run('judge', { tools: 'read_only' })
    expect(ofType(events, 'tool_result').map(({ is_error }) => is_error)).toEqual([false, true, true, true])
    expect(outcome.report.permissionDenials).toEqual(['Read', 'Read', 'edit'])
    const free = await run('judge')
    expect(free.outcome.report.permissionDenials).toEqual([])
  })

  test('what is unknown is kept, and does not end the run; the agent gets no files from Whetstone', async () => {
    const { outcome, events } = await run('noise')
    expect(outcome).toMatchObject({
      status: 'completed',
      report: { finalResponse: 'no files: -32601', cost: { usd: 0.5, source: 'agent' } },
    })
    const kept = ofType(events, 'system').map(({ subtype }) => subtype)
    expect(kept.sort()).toEqual(
      ['_own/thing', 'dance', 'plan', 'tool_call', 'unreadable', 'unreadable', 'unreadable', 'usage_update'].sort(),
    )
  })

  test('gets the MCP servers of the suite', async () => {
    const mcpConfig = path.join(stage.cwd, '.mcp.json')
    const servers = {
      local: { command: 'server', args: [variable('MINE')], env: { A: variable('NONE:-usual') } },
      far: { type: 'http', url: 'https://example.com/mcp', headers: { B: 'b' } },
    }
    await writeFile(mcpConfig, JSON.stringify({ mcpServers: servers }))
    const environment = { folder: stage.home, hooks: {}, rules: [], mcpConfig, mcpServers: Object.keys(servers) }
    const { outcome } = await run('mcp', { environment, env: { ...stage.env, MINE: 'mine' } })
    expect(JSON.parse(outcome.report.finalResponse)).toEqual([
      { name: 'local', command: 'server', args: ['mine'], env: [{ name: 'A', value: 'usual' }] },
      { type: 'http', name: 'far', url: 'https://example.com/mcp', headers: [{ name: 'B', value: 'b' }] },
    ])
    await writeFile(mcpConfig, JSON.stringify({ mcpServers: { old: { type: 'sse', url: 'https://example.com' } } }))
    const { outcome: refused } = await run('mcp', { environment })
    expect(refused).toMatchObject({
      status: 'failed',
      error: { kind: 'bad_request', message: expect.stringMatching(/old: it does not support sse/) },
    })
  })
})

describe('a bad agent', () => {
  test.each([
    ['text', 'bad_output', /without speaking ACP \(exit code 0\): Usage: agent/, false],
    ['exit', 'bad_output', /without speaking ACP \(exit code 3\): unknown option --acp/, false],
    ['version', 'bad_request', /version 2 of ACP, and Whetstone version 1/, false],
    ['auth', 'credentials', /asks for a login: Authentication required \(it offers: An API key\)/, true],
    ['die', 'crash', /ended before its turn was over \(exit code 7\): it broke here/, true],
    ['flood_calls', 'bad_output', /more updates than a run may have/, true],
    ['beg', 'bad_output', /asked for permission more than 100 times in a row/, true],
    ['mute', 'bad_output', /ended its turn without an answer/, true],
    ['status_429', 'rate_limited', /Rate limit exceeded/, true],
  ])('%s: %s', async (way, kind, message, retryable) => {
    const { outcome, events } = await run(way)
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { kind, retryable, message: expect.stringMatching(message) },
    })
    expect(ofType(events, 'error')).toHaveLength(1)
    expect(events.length).toBeLessThan(21_000)
    await noneLeft()
  })

  test.each([
    ['acp-no-such-program', 'missing_binary'],
    ['a "b', 'bad_request'],
  ])('%j: %s', async (line, kind) => {
    const { outcome } = await perform(acp, stage.task({ command: line }))
    expect(outcome).toMatchObject({ status: 'failed', error: { kind, retryable: false } })
  })

  test('one that never answers is ended; what it dies with until then is kept', async () => {
    const { outcome } = await perform(hasty, stage.task({ command: command('silent') }))
    const message = expect.stringMatching(/did not open an ACP session within 0.3 s/)
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'bad_output', message } })
    await noneLeft()
  })

  test('40 MB of text: its head is kept', async () => {
    const { outcome } = await run('flood_text')
    expect(outcome.status).toBe('completed')
    expect(outcome.report.finalResponse.length).toBeLessThan(1.1 * 1024 * 1024)
    expect(outcome.report.finalResponse).toMatch(/only the first \d+ characters are kept/)
  })

  test('what its tools left running does not hold the run, and is gone', async () => {
    const { outcome } = await run('background')
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'all done' } })
    await noneLeft()
  })
})

describe('abort', () => {
  test.each(['cancel', 'hang'])('%s: the agent and all that it started are gone', async (way) => {
    const abort = new AbortController()
    const early = createEarlyReport()
    const task = stage.task({ command: command(way) })
    const running = expect(perform(acp, task, { signal: abort.signal, soFar: early.soFar })).rejects.toThrow('enough')
    await vi.waitFor(() => expect(existsSync(path.join(stage.cwd, 'started'))).toBe(true), { timeout: 20_000 })
    abort.abort(new Error('enough'))
    await running
    await noneLeft()
    // one that obeys has time to report its tokens
    expect(existsSync(path.join(stage.cwd, 'cancelled'))).toBe(way === 'cancel')
    expect((await early.take()).usage?.input_tokens).toBe(way === 'cancel' ? 100 : undefined)
  })
})

describe('probe', () => {
  const probe = (way: string, model: string | null = null, engine = acp) =>
    engine.probe({
      ...{ model, command: command(way), credentials: {}, env: stage.env },
      signal: new AbortController().signal,
    })

  test('opens a session, and sends no prompt', async () => {
    expect(await probe('good', 'large')).toMatchObject({
      ok: true,
      version: '1.2.3',
      detail: expect.stringMatching(/node \(small 1.2.3\) over ACP$/),
      identity: { 'program acp_agent.mjs': expect.stringMatching(/^[0-9a-f]{64}$/) },
    })
    expect(existsSync(path.join(stage.home, 'turn-1.txt'))).toBe(false)
    await noneLeft()
  })

  test.each([
    ['auth', null, 'credentials', /asks for a login/],
    ['good', 'huge', 'bad_request', /does not offer the model huge/],
  ])('%s with the model %s: %s', async (way, model, kind, message) => {
    expect(await probe(way, model)).toMatchObject({ ok: false, kind, message: expect.stringMatching(message) })
  })

  test('one that never answers', async () => {
    expect(await probe('silent', null, hasty)).toMatchObject({ ok: false, kind: 'bad_output' })
    await noneLeft()
  })
})

needsSandbox('in a sandbox', () => {
  test('the second run also opens its session, now that the library is loaded: nothing sent while it opens is lost', async () => {
    if (!foundSandbox.ok) return
    const readable = await findCommandParts(['node', `${agents}/acp_agent.mjs`])
    const parts = { writable: [stage.cwd, stage.home], readable, readOnly: [], hidden: [], settings: undefined }
    const sandbox = confine({ ...noSandboxWish, ...foundSandbox, reason: '' }, parts)
    for (const _ of [1, 2]) {
      const { outcome } = await run('good', { sandbox })
      expect(outcome).toMatchObject({ status: 'completed', report: { stopReason: 'end_turn' } })
    }
  })
})
