/** What is particular to pi: its arguments, files and environment, and what a stream of the real CLI (0.73.1) amounts to. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EmittedEvent, EngineTask } from '../../../src/engines/engine.ts'
import { pi, piArguments, piEnvironment, piFiles } from '../../../src/features/pi/pi.ts'
import { piFailure, piReport } from '../../../src/features/pi/report.ts'
import { PiStream } from '../../../src/features/pi/stream.ts'
import { ofType, processEnd, roomSkills, roomTask } from '../../engines/stage.ts'

const task: EngineTask = {
  ...{ ...roomTask, model: 'anthropic/m' },
  credentials: { ANTHROPIC_API_KEY: 'a', OPENAI_API_KEY: 'o', WHETSTONE_PI: '/opt/pi' },
}
const model = { provider: 'anthropic', id: 'claude-sonnet-4-5' } as const
const folder = `/room/home/.pi-run/${task.sessionId}`

describe('how it is started', () => {
  test("its provider's key alone, a folder of its own, nothing that asks other servers", () => {
    const env = piEnvironment(task)
    expect(env).toMatchObject({ PATH: '/bin', ANTHROPIC_API_KEY: 'a', PI_OFFLINE: '1', PI_CODING_AGENT_DIR: folder })
    expect(env).not.toHaveProperty('OPENAI_API_KEY')
    expect(env).not.toHaveProperty('WHETSTONE_PI')
  })
  test.each([
    ['anthropic/m', {}, 'anthropic', 'https://api.anthropic.com'],
    ['claude-m', { ANTHROPIC_BASE_URL: 'http://h:1/' }, 'anthropic', 'http://h:1'],
    ['openai/m', { OPENAI_BASE_URL: 'http://h:1/v1' }, 'openai', 'http://h:1/v1'],
  ] as const)('%s with %j is asked at %s %s', (name, urls, provider, url) => {
    const asked = { ...task, model: name, credentials: { ...task.credentials, ...urls } }
    expect(piFiles(asked, { provider, id: 'm' })['models.json']).toEqual({
      providers: { [provider]: { baseUrl: url } },
    })
    expect(pi.reaches?.(asked)).toEqual([url])
  })
  test('no extension but Whetstone’s; a judge reads, and learns nothing from its folder', () => {
    const words = (tools: EngineTask['tools']) => piArguments({ ...task, tools }, model).join(' ')
    expect(words('all')).toContain(`--no-extensions --extension ${folder}/extension.mjs`)
    expect(words('all')).not.toMatch(/--tools|--no-skills|--no-context-files/)
    expect(words('read_only')).toMatch(
      /--tools read,grep,find,ls --no-context-files --no-skills --system-prompt {2}--app/,
    )
    expect(words('none')).toMatch(/--no-tools --no-context-files --no-skills/)
    const below = (tools: EngineTask['tools']) => piFiles({ ...task, tools }, model)['limits.json']
    expect(below('all')).toMatchObject({ readsOnlyBelow: null, model: 'claude-sonnet-4-5' })
    expect(below('read_only')).toMatchObject({ readsOnlyBelow: '/room/work' })
  })
  test('retries: four of its own, or as many as the user says', () => {
    const retry = (env: Record<string, string>) => piFiles({ ...task, env }, model)['settings.json']
    expect(retry({})).toMatchObject({ retry: { maxRetries: 4, provider: { maxRetries: 0 } } })
    expect(retry({ PI_MAX_RETRIES: '1' })).toMatchObject({ retry: { maxRetries: 1 } })
  })
})

const recorded = readFileSync(path.join(import.meta.dirname, '../../fixtures/pi/stream.jsonl'), 'utf8')
  .trim()
  .split('\n')

/** Plays lines of a stream. */
async function played(lines: readonly (string | object)[]) {
  const events: EmittedEvent[] = []
  const retries: [string, number][] = []
  const stream = new PiStream({
    ...{ skills: roomSkills, skillsFolder: '.agents/skills', maxTurns: null },
    emit: (event) => events.push(event),
    onRetry: (error, waitMs) => retries.push([error, waitMs]),
  })
  const ends = lines.map((line) => stream.take(typeof line === 'string' ? line : JSON.stringify(line)))
  const report = await piReport(stream, { model, end: processEnd })
  return { events, retries, ends, stream, report, failure: piFailure(stream, processEnd) }
}

/** An answer that failed, and the end of its turn. */
const failed = (errorMessage: string, more: object = {}) => [
  { type: 'message_end', message: { role: 'assistant', content: [], stopReason: 'error', errorMessage, ...more } },
  { type: 'turn_end' },
  { type: 'agent_end', messages: [] },
]

describe('a session of a command, a skill with a file that is not there, and an answer', () => {
  test('two calls of a response are one step; nothing only repeats; tokens of three responses by kind', async () => {
    const { events, ends, report } = await played(recorded)
    const calls = ofType(events, 'tool_call').map(({ name, step }) => `${name} ${step}`)
    expect(calls).toEqual(['bash 1', 'read 2', 'read 2'])
    expect(ofType(events, 'tool_result').map((one) => one.is_error)).toEqual([false, true, false])
    expect(ofType(events, 'thinking')).toMatchObject([{ text: 'Let me see.', step: 1 }])
    expect(ofType(events, 'system')).toMatchObject([{ subtype: 'init' }])
    expect(ends.filter((one) => one !== 'more')).toEqual(['last'])
    expect(report).toMatchObject({
      ...{ permissionDenials: [], usage: { cache_read_tokens: 100, cache_write_tokens: 50 } },
      ...{ cost: { source: 'agent' }, loaded: { skills: ['demo'], tools: ['read', 'bash', 'edit', 'write'] } },
    })
    expect(report.usage?.input_tokens).toBe(1501 + 1594 + 1736)
  })
  test("pi's cost of a model that it doesn't know is another model's: an estimate, or null", async () => {
    const unpriced = recorded.map((line) => line.replace('"priced":true', '"priced":false'))
    expect((await played(unpriced)).report.cost).toMatchObject({ source: 'estimated' })
  })
  test('an answer without a count of tokens: the sum is unknown', async () => {
    const uncounted = recorded.map((line) => line.replaceAll(/"(input|output|cacheRead|cacheWrite)":\d+/g, '"$1":0'))
    expect((await played([...recorded.slice(0, -8), ...uncounted.slice(-8)])).report).toMatchObject({
      ...{ usage: null, cost: null },
    })
  })
})

describe('a request that fails', () => {
  test.each([
    ['401 {"type":"error"}', 'credentials', true],
    ['429 Too many requests', 'rate_limited', true],
    ['529 {"type":"overloaded_error"}', 'overloaded', true],
    ['Connection error.', 'unreachable', true],
    ['terminated', 'server_error', true],
    ['400 prompt is too long: 9 tokens > 8 maximum', 'bad_request', false],
  ])('%s: %s', async (message, kind, retryable) => {
    const { failure, ends, report } = await played(failed(message))
    expect(failure).toMatchObject({ kind, retryable })
    expect(report).toMatchObject({ answered: false, retrying: { kind } })
    expect(ends).not.toContain('last')
  })
  test('is sent again: the wait is reported, and the answer counts', async () => {
    const retry = { type: 'auto_retry_start', attempt: 1, delayMs: 1000, errorMessage: '429 slow down' }
    const { retries, failure, report } = await played([...failed('429 slow down'), retry, ...recorded])
    expect(retries).toEqual([['429 slow down', 1000]])
    expect({ failure, retrying: report.retrying }).toEqual({ failure: null, retrying: null })
  })
  test('what a cut answer said is not part of the transcript; its tokens count', async () => {
    const usage = { input: 7, output: 1, cacheRead: 0, cacheWrite: 0 }
    const cut = failed('terminated', { content: [{ type: 'text', text: 'I be' }], usage })
    const { events, report } = await played(cut)
    expect(ofType(events, 'assistant')).toEqual([])
    expect(report.usage).toMatchObject({ input_tokens: 7, output_tokens: 1 })
  })
  test('because the context is full after an answer: the agent’s own end', async () => {
    const { failure, report } = await played([...recorded.slice(0, -4), ...failed('400 prompt is too long')])
    expect({ failure, stopReason: report.stopReason }).toEqual({ failure: null, stopReason: 'context_window' })
  })
  test('because the model refuses: the agent’s own end, with what it said', async () => {
    const usage = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0 }
    const no = { content: [{ type: 'text', text: 'I will not.' }], usage }
    const { failure, report, ends } = await played(failed('An unknown error occurred', no))
    expect(failure).toBeNull()
    expect(report).toMatchObject({ stopReason: 'refusal', finalResponse: 'I will not.' })
    expect(ends.at(-1)).toBe('last')
    const other = await played(failed('An unknown error occurred'))
    expect(other.failure).toMatchObject({ kind: 'server_error' })
  })
})

test.each([
  ['without an end', recorded.slice(0, 12), 'said'],
  ['that is not JSON', ['oops'], 'oops'],
  ['that is empty', [], 'pi gave no answer'],
])('a stream %s says so', async (_, lines, text) => {
  const { failure } = await played(lines)
  expect(failure).toMatchObject({ kind: 'bad_output', message: expect.stringContaining(text) })
})

test('an answer that is nested too deep is not used', async () => {
  const deep = `{"type":"x","a":${'['.repeat(300)}${']'.repeat(300)}}`
  expect((await played([deep, ...recorded])).failure).toMatchObject({ kind: 'bad_output' })
})
