/** What is particular to Qwen Code: arguments, environment, settings, and what a stream and the own records of the real CLI (0.24.4) amount to. */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EmittedEvent, EngineTask } from '../../../src/engines/engine.ts'
import { ChatRecord, LoggedRequests } from '../../../src/features/qwen/chat_record.ts'
import { qwenArguments, qwenEnvironment, qwenSettings } from '../../../src/features/qwen/qwen.ts'
import { qwenFailure, qwenReport } from '../../../src/features/qwen/report.ts'
import { QwenStream } from '../../../src/features/qwen/stream.ts'
import { fresh } from '../../e2e/program.ts'
import { ofType, processEnd, roomSkills, roomTask } from '../../engines/stage.ts'

const task: EngineTask = {
  ...{ ...roomTask, model: 'gpt-5.4-mini' },
  credentials: { OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'http://h:1/v1', WHETSTONE_QWEN: '/opt/qwen' },
}

describe('the start', () => {
  test('its key, its server, a home of its own; nothing of Whetstone', () => {
    const env = qwenEnvironment(task)
    const root = `/room/home/.qwen-run/${task.sessionId}`
    expect(env).toMatchObject({ PATH: '/bin', OPENAI_API_KEY: 'o', OPENAI_BASE_URL: 'http://h:1/v1' })
    expect(env).toMatchObject({ QWEN_HOME: `${root}/home`, QWEN_CODE_SYSTEM_SETTINGS_PATH: `${root}/settings.json` })
    expect(env).not.toHaveProperty('WHETSTONE_QWEN')
  })
  test('the model and the session are arguments, and so is the limit of turns', () => {
    const argv = qwenArguments({ ...task, maxTurns: 3 }).join(' ')
    expect(argv).toContain(
      `--session-id ${task.sessionId} --model gpt-5.4-mini --max-session-turns 3 --approval-mode yolo`,
    )
    expect(qwenArguments({ ...task, model: null }).join(' ')).toContain('--model gpt-5.4 ')
    expect(qwenArguments(task)).not.toContain('--max-session-turns')
  })
  test('a judge has tools that read, or none, and takes no settings from its folder', () => {
    const excluded = (tools: EngineTask['tools']) =>
      qwenArguments({ ...task, tools })
        .at(-1)
        ?.split(',')
    expect(excluded('read_only')).toContain('run_shell_command')
    expect(excluded('read_only')).not.toContain('read_file')
    expect(excluded('none')).toContain('read_file')
    for (const tools of ['read_only', 'none'] as const) {
      expect(qwenArguments({ ...task, tools })).toContain('--safe-mode')
      expect(qwenArguments({ ...task, tools })).not.toContain('yolo')
      expect(qwenSettings({ ...task, tools })).toMatchObject({ security: { folderTrust: { enabled: true } } })
    }
    expect(qwenSettings(task)).toMatchObject({ security: { folderTrust: { enabled: false } } })
  })
  test('no update, no statistics, no requests besides the run', () => {
    expect(qwenSettings(task)).toMatchObject({
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false, enableAutoSkill: false },
    })
  })
})

const fixtures = path.join(import.meta.dirname, '../../fixtures/qwen')
const lines = readFileSync(path.join(fixtures, 'stream.jsonl'), 'utf8').trim().split('\n')
const chatLines = readFileSync(path.join(fixtures, 'chat.jsonl'), 'utf8').trim().split('\n')

interface Play {
  chat?: readonly string[]
  /** Files of requests, oldest first. */
  requests?: readonly (object | string)[]
  exitCode?: number
  stopped?: true
  more?: Partial<EngineTask>
}

/** Plays lines of a stream, and the own records. */
async function played(stream: readonly string[], { chat = [], requests = [], exitCode = 0, stopped, more }: Play = {}) {
  const home = fresh()
  const [chats, folder] = [path.join(home, 'projects/-room-work/chats'), path.join(home, 'requests')]
  for (const one of [chats, folder]) mkdirSync(one, { recursive: true })
  writeFileSync(path.join(chats, `${task.sessionId}.jsonl`), chat.map((line) => `${line}\n`).join(''))
  for (const [index, one] of requests.entries()) {
    const file = path.join(folder, `openai-2026-11-27T01-23-0${index}.091Z-310b5636.json`)
    if (typeof one === 'string') copyFileSync(path.join(fixtures, one), file)
    else writeFileSync(file, JSON.stringify(one))
  }
  const [events, retries]: [EmittedEvent[], [number | null, number][]] = [[], []]
  const emit = (event: EmittedEvent) => events.push(event)
  const follow = new QwenStream({ skills: roomSkills, skillsFolder: '.agents/skills', emit })
  const ends = stream.map((line) => follow.take(line))
  const record = new ChatRecord({ home, sessionId: task.sessionId }, ({ status }, waitMs) =>
    retries.push([status, waitMs]),
  )
  const log = new LoggedRequests(folder)
  record.catchUp()
  log.catchUp()
  record.close()
  const sources = { task: { ...task, ...more }, stream: follow, chat: record, requests: log }
  const end = stopped ? null : { ...processEnd, exitCode }
  return { events, ends, retries, report: await qwenReport(sources, end), failure: qwenFailure(sources, end), record }
}

const both = ['request-1.json', 'request-2.json']

const tokens = { input_tokens: 17_729, output_tokens: 158, cache_read_tokens: 6000, cache_write_tokens: 0 }

describe('a session of a failed command, a skill and an answer', () => {
  test('a text and the calls after it are one response; cached tokens apart, reasoning from its own record', async () => {
    const { events, ends, report } = await played(lines, { chat: chatLines, requests: both })
    expect(ofType(events, 'tool_call').map(({ name, step }) => `${name} ${step}`)).toEqual([
      'run_shell_command 1',
      'skill 1',
    ])
    expect(ofType(events, 'tool_result').map((one) => one.is_error)).toEqual([true, false])
    expect(ends.at(-1)).toBe('last')
    expect(report.usage).toEqual({ ...tokens, reasoning_tokens: 140 })
    expect(report.loaded?.skills).toEqual(['batch', 'demo'])
    expect(report.cost).toMatchObject({ source: 'estimated' })
  })
  test('before its end, the tokens come from its own record', async () => {
    const { report } = await played(lines.slice(0, 4), { chat: chatLines.slice(0, 4), stopped: true })
    expect(report.usage).toMatchObject({ cache_read_tokens: 3000, reasoning_tokens: 70 })
    expect(report.usage?.input_tokens).toBeLessThan(17_729)
  })
  test('a last record that misses a response: all tokens of its own record, or those that the stream showed', async () => {
    const last = JSON.parse(lines.at(-1) ?? '')
    const early = { ...last, usage: { ...last.usage, input_tokens: 9000, output_tokens: 80 } }
    const all = [...lines.slice(0, -1), JSON.stringify(early)]
    const recorded = await played(all, { chat: chatLines, requests: both })
    expect(recorded.report.usage).toMatchObject(tokens)
    const shown = await played(all, { chat: chatLines.slice(0, 4), requests: both })
    expect(shown.report.usage).toMatchObject({ ...tokens, reasoning_tokens: 70 })
  })
  test('without its own records: tokens of the stream, and the skills are not known', async () => {
    const { report } = await played(lines)
    expect(report.usage).toEqual(tokens)
    expect(report.loaded).toBeNull()
  })
  test('a request of a sub-agent, and one that is not written to its end, count for nothing', async () => {
    const home = fresh()
    const write = (name: string) => copyFileSync(path.join(fixtures, 'request-1.json'), path.join(home, name))
    const first = 'openai-2026-11-27T01-23-01.091Z-310b5636.json'
    writeFileSync(path.join(home, first), '{"request":')
    write('openai-2026-11-27T01-23-00.091Z-310b5636-agent.json')
    const log = new LoggedRequests(home)
    log.catchUp()
    expect([log.offered, log.finishReason]).toEqual([null, null])
    write(first)
    log.catchUp()
    expect(log.offered).toEqual(['batch', 'demo'])
  })
  test('records of other types and lines that are none are kept', async () => {
    const { events } = await played(['{"type":"new"}', 'x'])
    expect(ofType(events, 'system').map(({ subtype }) => subtype)).toEqual(['new', 'unreadable'])
  })
})

const requestEnd = (name: string, at: string, more: object) =>
  JSON.stringify({ systemPayload: { uiEvent: { 'event.name': `qwen-code.${name}`, 'event.timestamp': at, ...more } } })
const failedAt = (at: string, status_code?: number, error_message = `${status_code} no`) =>
  requestEnd('api_error', at, { duration_ms: 100, error_message, ...(status_code && { status_code }) })
const answeredAt = (at: string) =>
  requestEnd('api_response', at, { duration_ms: 1000, input_token_count: 10, output_token_count: 2 })
const failed = (message: string) =>
  JSON.stringify({ type: 'result', subtype: 'error_during_execution', is_error: true, error: { message } })
const finished = (finish_reason: string) => ({ request: {}, response: { choices: [{ finish_reason }] } })

describe('what its own record says of failed requests', () => {
  test('the wait between a failure and the next request, without the time of that request', async () => {
    const at = (seconds: string) => `2026-11-27T01:00:${seconds}Z`
    const chat = [failedAt(at('00.000'), 429), failedAt(at('02.100'), 429), answeredAt(at('08.100'))]
    const { retries, record } = await played([], { chat })
    expect(retries).toEqual([
      [429, 2000],
      [429, 5000],
    ])
    expect([record.failures, record.answers]).toEqual([0, 1])
  })
  test.each([
    [503, 'overloaded', true],
    [404, 'bad_request', false],
  ])('a run that is ended while status %i is repeated: %s', async (status, kind, retryable) => {
    const { failure, report } = await played([], { chat: [failedAt('2026-11-27T01:00:00Z', status)], stopped: true })
    expect(failure).toMatchObject({ kind, retryable })
    expect(report.retrying).toMatchObject({ kind })
  })
})

describe('ends', () => {
  test.each([
    ['[API Error: 401 no]', 'credentials'],
    ['[API Error: terminated (cause: UND_ERR_SOCKET: other side closed)]', 'server_error'],
    ['[API Error: Connection error. (cause: fetch failed)]', 'unreachable'],
    ['[API Error: Model stream ended with empty response text.]', 'bad_output'],
    ['[API Error: 400 maximum context length is 128000 tokens]', 'bad_request'],
  ])('%s: %s', async (message, kind) => {
    const { failure } = await played([failed(message)], { exitCode: 1 })
    expect(failure).toMatchObject({ kind })
  })
  test('a context that is full after an answer ends the agent', async () => {
    const stream = [...lines.slice(0, 6), failed('[API Error: 400 maximum context length is 128000 tokens]')]
    const { failure, report } = await played(stream, { exitCode: 1 })
    expect([failure, report.stopReason]).toEqual([null, 'context_window'])
  })
  test('a refusal ends the agent while Qwen Code asks again; an empty answer does not', async () => {
    const again = JSON.stringify({ type: 'system', subtype: 'retry', data: {} })
    const requests = [finished('content_filter')]
    const refused = await played([again], { requests, chat: [answeredAt('')], stopped: true })
    expect([refused.failure, refused.report.stopReason]).toEqual([null, 'refusal'])
    const empty = await played([again], { requests: [finished('stop')], stopped: true })
    expect(empty.failure).not.toBeNull()
  })
  test('an answer that is cut at the output limit', async () => {
    const { failure, report } = await played(lines, { requests: [finished('stop'), finished('length')] })
    expect([failure, report.stopReason]).toEqual([null, 'max_tokens'])
  })
  test('exit code 53 is the limit of turns, where there is one', async () => {
    const limited = await played(lines.slice(0, 6), { exitCode: 53, more: { maxTurns: 1 } })
    expect([limited.failure, limited.report.stopReason]).toEqual([null, 'max_turns'])
    const other = await played(lines.slice(0, 6), { exitCode: 53 })
    expect(other.failure).toMatchObject({ kind: 'crash', message: 'Qwen Code gave no answer (exit code 53): said' })
  })
})
