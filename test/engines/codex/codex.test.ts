/** What is particular to Codex: its arguments and environment, and what a stream and session of the real CLI (0.169.0) amount to. */
import { appendFileSync, mkdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { codexArguments, codexEnvironment } from '../../../src/engines/codex/argv.ts'
import { codexFailure, codexReport } from '../../../src/engines/codex/report.ts'
import { CodexJournal } from '../../../src/engines/codex/session_file.ts'
import { CodexStream } from '../../../src/engines/codex/stream.ts'
import type { EmittedEvent, EngineTask } from '../../../src/engines/engine.ts'
import { fresh } from '../../e2e/program.ts'
import { ofType, processEnd, roomSkills, roomTask } from '../stage.ts'

const task: EngineTask = {
  ...{ ...roomTask, env: { ...roomTask.env, TMPDIR: '/room/home/tmp' } },
  credentials: { OPENAI_API_KEY: 'o', WHETSTONE_CODEX: '/opt/codex', ANTHROPIC_API_KEY: 'a' },
}
const plain = { schemaFile: null, confinement: { by: 'own' } } as const
const judge = { schemaFile: '/s.json', confinement: { by: 'judge', readable: ['/opt/c "x"'] } } as const

describe('arguments', () => {
  const line = (more: Partial<EngineTask>, how: Parameters<typeof codexArguments>[1] = plain) =>
    codexArguments({ ...task, ...more }, how).join('\n')
  test.each([
    ['exec\n--json'],
    ['--ignore-user-config'],
    ['--ignore-rules'],
    ['-C\n/room/work'],
    ['--sandbox\nworkspace-write'],
    ['--disable\nplugins'],
    ['-c\nanalytics.enabled=false'],
    ['-c\nproject_root_markers=[]'],
    ['base_url="https://api.openai.com/v1",env_key="CODEX_API_KEY",wire_api="responses"'],
    ['exclude=["CODEX_API_KEY","OPENAI_API_KEY","OPENAI_BASE_URL"]'],
  ])('an agent: %j', (words) => expect(line({})).toContain(words))
  test('the prompt is never an argument', () => expect(codexArguments(task, plain).at(-1)).toBe('-'))
  test.each([
    [{ model: 'gpt-5.5' }, '-m\ngpt-5.5'],
    [{ credentials: { OPENAI_BASE_URL: 'http://h:1/v1/' } }, 'base_url="http://h:1/v1"'],
    [{ env: { CODEX_MAX_RETRIES: '0' } }, 'request_max_retries=0,stream_max_retries=0'],
  ])('%j: %j', (more, words) => expect(line(more)).toContain(words))
  test('inside a sandbox of ours its own is off', () =>
    expect(line({}, { schemaFile: null, confinement: { by: 'none' } })).toContain('--sandbox\ndanger-full-access'))
  test('a judge reads its folder and what the program needs, learns nothing from it, and answers by the schema', () => {
    const words = line({ tools: 'read_only' }, judge)
    expect(words).toContain('filesystem={":minimal"="read",":workspace_roots"={"."="read"},"/opt/c \\"x\\""="read"}')
    expect(words).toContain('project_doc_max_bytes=0')
    expect(words).toContain('skills.include_instructions=false')
    expect(words).toContain('--output-schema\n/s.json')
    expect(words).not.toContain('--sandbox')
  })
  test('without tools there is no shell', () =>
    expect(line({ tools: 'none' }, judge)).toContain('--disable\nshell_tool'))
})

describe('environment', () => {
  test('its key and a home of its own, nothing else of a user', () =>
    expect(codexEnvironment(task)).toEqual({
      ...task.env,
      CODEX_HOME: `/room/home/.codex/${task.sessionId}`,
      CODEX_API_KEY: 'o',
    }))
  test.each([{ HOME: '/tmp/room' }, { HOME: '/x/room', TMPDIR: '/x' }])(
    'a home below the temporary folder gets one beside: %j',
    (env) => expect(codexEnvironment({ ...task, env }).TMPDIR).toBe(`${env.HOME}/.codex/${task.sessionId}.tmp`),
  )
})

const fixture = (name: string) => readFileSync(path.join(import.meta.dirname, '../../fixtures/codex', name), 'utf8')
const lines = fixture('stream.jsonl').trim().split('\n')

/** Plays lines of a stream; `session`: what its own file holds by then. */
async function played(stream: readonly string[], session: string | null = fixture('session.jsonl')) {
  const home = fresh()
  if (session !== null) {
    const folder = path.join(home, 'sessions/2026/11/21')
    mkdirSync(folder, { recursive: true })
    appendFileSync(path.join(folder, 'rollout-x.jsonl'), session)
  }
  const events: EmittedEvent[] = []
  const journal = new CodexJournal(home)
  const emit = (event: EmittedEvent) => events.push(event)
  const codex = new CodexStream({ skills: roomSkills, skillsFolder: '.agents/skills', emit, journal })
  const ends = stream.map((line) => codex.take(line))
  const report = await codexReport(codex, journal, { task, end: processEnd })
  journal.close()
  return { events, ends, report, failure: codexFailure(codex, journal, processEnd) }
}

test('a question to the user, which the stream does not show, is taken from the session file', async () => {
  const item = (payload: object) => `${JSON.stringify({ type: 'response_item', payload })}\n`
  const input = { questions: [{ id: 'f', question: 'Which format?' }] }
  const call = { type: 'function_call', call_id: 'q1', name: 'request_user_input', arguments: JSON.stringify(input) }
  const told = { type: 'function_call_output', call_id: 'q1', output: 'unavailable in this mode' }
  const message = { type: 'item.completed', item: { id: 'm', type: 'agent_message', text: 'Which format?' } }
  const { events } = await played([JSON.stringify(message)], item(call) + item(told))
  expect(ofType(events, 'tool_call')).toMatchObject([{ name: 'request_user_input', input }])
  expect(ofType(events, 'tool_result')).toMatchObject([{ id: 'q1', output: 'unavailable in this mode' }])
})

describe('a session of two calls at once, a patch and an answer', () => {
  test('steps are responses, though the calls of one ran one after the other', async () => {
    const { events } = await played(lines.slice(0, 8), fixture('session.jsonl').split('custom_tool_call')[0])
    expect(ofType(events, 'tool_call').map(({ name, step, input }) => [name, step, input])).toEqual([
      ['exec_command', 1, { command: 'false' }],
      ['exec_command', 1, { command: 'env > env.txt; cat .agents/skills/demo/SKILL.md; echo PID $PPID' }],
    ])
    expect(ofType(events, 'tool_result').map((one) => one.is_error)).toEqual([true, false])
  })
  test('without the session file, tools that ended one by one count as responses', async () => {
    const { events, report } = await played(lines, null)
    expect(ofType(events, 'tool_call').map(({ name, step }) => [name, step])).toEqual([
      ['exec_command', 1],
      ['exec_command', 2],
      ['apply_patch', 3],
    ])
    expect(report).toMatchObject({ loaded: null, version: null, finalResponse: 'done' })
    expect(report.usage).toMatchObject({ output_tokens: 60 })
  })
  test('its end is seen once; what it thought, which skills it offered, and its tokens', async () => {
    const { events, ends, report, failure } = await played(lines)
    expect(ends).toEqual([...lines.slice(1).map(() => 'more'), 'last'])
    expect(ofType(events, 'thinking')).toMatchObject([{ text: 'thinking about it', step: 1 }])
    expect(failure).toBeNull()
    const skills = ['imagegen', 'openai-docs', 'skill-creator', 'skill-installer', 'demo']
    expect(report.loaded).toEqual({ skills, tools: null, mcp_servers: null }) // which tools it offers it does not tell
    const usage = { input_tokens: 210, output_tokens: 60, cache_read_tokens: 90, cache_write_tokens: 0 }
    expect(report.usage).toEqual({ ...usage, reasoning_tokens: 15 })
  })
  test('records of other types and lines that are none are kept', async () => {
    const { events } = await played([
      '{"type":"item.completed","item":{"id":"1","type":"todo_list"}}',
      '{"type":"new"}',
      'x',
    ])
    expect(ofType(events, 'system').map(({ subtype }) => subtype)).toEqual(['todo_list', 'new', 'unreadable'])
  })
  test('a call that was declined is a denial', async () => {
    const item = { id: '1', type: 'command_execution', command: 'rm -r /', status: 'declined', aggregated_output: '' }
    const { report, events } = await played([JSON.stringify({ type: 'item.completed', item })], null)
    expect(report.permissionDenials).toEqual(['exec_command'])
    expect(ofType(events, 'tool_result')).toMatchObject([{ is_error: true }])
  })
})

test('a call with an input nested without end is bad output', async () => {
  const args = `${'['.repeat(3000)}${']'.repeat(3000)}`
  const call = `{"type":"item.completed","item":{"id":"i","type":"mcp_tool_call","server":"s","tool":"t","arguments":${args}}}`
  const { failure } = await played([call, JSON.stringify({ type: 'turn.completed' })], null)
  expect(failure).toMatchObject({ kind: 'bad_output', message: expect.stringContaining('nested deeper') })
})

describe('failures, in the words of the real CLI', () => {
  test.each([
    ['unexpected status 401 Unauthorized: no, url: http://h/v1/responses', 'credentials', true],
    ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limited', true],
    ['We’re currently experiencing high demand, which may cause temporary errors.', 'server_error', true],
    ['The model `gpt-none` does not exist or you do not have access to it.', 'bad_request', false],
    ['Selected model is at capacity. Please try a different model.', 'overloaded', true],
    ['Quota exceeded. Check your plan and billing details.', 'credentials', true],
    ['Connection failed: error sending request', 'unreachable', true],
    ['stream disconnected before completion: stream closed before response.completed', 'server_error', true],
    ['{"error":{"message":"no such parameter","type":"x"}}', 'bad_request', false],
    ['something new', 'server_error', true],
  ])('%s: %s', async (message, kind, retryable) => {
    const { failure } = await played([JSON.stringify({ type: 'turn.failed', error: { message } })], null)
    expect(failure).toMatchObject({ kind, message, retryable })
    expect(failure?.retryAfterMs).toBe(message.includes('1.5s') ? 1500 : null)
  })
  test.each([
    ['Incomplete response returned, reason: max_output_tokens', 'max_tokens'],
    ['Incomplete response returned, reason: content_filter', 'refusal'],
    ["Codex ran out of room in the model's context window. Start a new thread.", 'context_window'],
    ['{"error":{"message":"prompt is too long: 250000 tokens > 200000 maximum"}}', 'context_window'],
  ])("%s: the agent's own end", async (message, stopReason) => {
    const failed = JSON.stringify({ type: 'turn.failed', error: { message } })
    const { failure, report } = await played([...lines.slice(0, 4), failed], null)
    expect({ failure, stopReason: report.stopReason }).toEqual({ failure: null, stopReason })
  })
  test('a provider error is being retried until something comes again', async () => {
    const said = 'exceeded retry limit, last status: 429 Too Many Requests'
    const again = JSON.stringify({ type: 'error', message: `Reconnecting... 1/4 (${said})` })
    const before = await played([...lines.slice(0, 4), again], null)
    expect(before.report).toMatchObject({ answered: true, retrying: { kind: 'rate_limited', message: said } })
    const after = await played([again, ...lines.slice(0, 4)], null)
    expect(after.report).toMatchObject({ answered: true, retrying: null })
  })
  test('a stream without an end says so', async () => {
    const { failure } = await played(lines.slice(0, 4), null)
    expect(failure).toMatchObject({ kind: 'bad_output', retryable: true, message: expect.stringContaining('said') })
  })
})
