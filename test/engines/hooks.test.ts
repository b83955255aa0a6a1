/** Hooks around the tool loop: Claude Code's contract, by real scripts, as a table of what each may say. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { anthropic } from '../../src/engines/anthropic/anthropic.ts'
import type { EngineTask, InstalledEnvironment } from '../../src/engines/engine.ts'
import { selectHooks } from '../../src/engines/hooks/hooks.ts'
import { keysFor, ofType, perform, practice, stageOfEachTest } from './stage.ts'

const stage = stageOfEachTest()

type Entry = { command: string; timeout?: number }

/** An environment with this hook; its input is kept in $HOME/<event>.json. */
function environment(event: string, entry: string | Entry, matcher?: string): InstalledEnvironment {
  const { command, ...more } = typeof entry === 'string' ? { command: entry } : entry
  const kept = { type: 'command', command: `cat > $HOME/${event}.json; ${command}`, ...more }
  const hooks = { [event]: [{ hooks: [kept], ...(matcher !== undefined && { matcher }) }] }
  return { folder: stage.home, hooks, rules: [], mcpConfig: null, mcpServers: [] }
}

const say = (json: object, exit = 0) => `echo '${JSON.stringify(json)}'; exit ${exit}`
const own = (event: string, fields: object) => say({ hookSpecificOutput: { hookEventName: event, ...fields } })

/** One call of Bash, then an answer that repeats what came back. */
async function run(given: InstalledEnvironment | undefined, more: Partial<EngineTask> = {}) {
  await using server = await practice(`
rules:
  - { name: calls, when: { turn: 1 }, tool_calls: { name: Bash, input: { command: 'echo hello | tee made.txt' } } }
  - { name: goes on, when: { last: 'Stop hook feedback' }, text: 'Goodbye.' }
  - { name: ends, text: 'Done.' }
`)
  const task = stage.task({ credentials: keysFor(server), environment: given, ...more })
  const { outcome, events } = await perform(anthropic, task)
  const result = ofType(events, 'tool_result')[0]
  const hooks = ofType(events, 'hook')
  const made = await readFile(path.join(stage.cwd, 'made.txt'), 'utf8').catch(() => null)
  return { outcome, result, hooks, made, requests: server.requests.length }
}

/** Its matcher takes longer than anybody waits. */
const endless = {
  PreToolUse: [{ matcher: `^(?=E)${'\\w?'.repeat(600)}!$`, hooks: [{ type: 'command', command: 'true' }] }],
}

describe('before a call', () => {
  test.each<[string, string | Entry, string]>([
    ['exit code 2, with its stderr', 'echo "not here" >&2; exit 2', 'not here'],
    ['exit code 2 without a word', 'exit 2', 'without a reason'],
    ['deny', own('PreToolUse', { permissionDecision: 'deny', permissionDecisionReason: 'not here' }), 'not here'],
    ['ask, where nobody can be asked', own('PreToolUse', { permissionDecision: 'ask' }), 'without a reason'],
    ['the older decision: block', say({ decision: 'block', reason: 'not here' }), 'not here'],
    ['exit code 2, whatever stdout says', `echo '{"decision":"approve"}'; echo no >&2; exit 2`, 'no'],
  ])('%s blocks it', async (_what, command, reason) => {
    const { outcome, result, hooks, made } = await run(environment('PreToolUse', command))
    expect(made).toBeNull()
    expect(result).toMatchObject({ is_error: true, output: expect.stringContaining(reason) })
    expect(hooks).toMatchObject([
      { event: 'PreToolUse', tool: 'Bash', outcome: 'blocked', text: expect.stringContaining(reason) },
    ])
    expect(outcome).toMatchObject({ status: 'completed', report: { permissionDenials: ['Bash'] } })
  })
  test.each<[string, string | Entry, string]>([
    ['exit code 0', 'exit 0', 'ok'],
    ['exit code 1', 'echo oops >&2; exit 1', 'error'],
    ['JSON with another code', say({ decision: 'block', reason: 'x' }, 1), 'error'],
    ['allow', own('PreToolUse', { permissionDecision: 'allow' }), 'ok'],
    ['text that is no JSON', 'echo hi', 'ok'],
    ['one that takes too long', { command: 'sleep 60', timeout: 0.2 }, 'error'],
  ])('%s lets it through', async (_what, command, outcome) => {
    const { made, hooks, outcome: end } = await run(environment('PreToolUse', command))
    expect(made).toBe('hello\n')
    expect(hooks.map((hook) => hook.outcome)).toEqual([outcome])
    expect(end.report.permissionDenials).toEqual([])
  })
  test('it may change the input', async () => {
    const { made } = await run(
      environment('PreToolUse', own('PreToolUse', { updatedInput: { command: 'echo other > made.txt' } })),
    )
    expect(made).toBe('other\n')
  })
  test('it may add what the model is told', async () => {
    const { result } = await run(environment('PreToolUse', own('PreToolUse', { additionalContext: 'mind the gap' })))
    expect(result?.output).toBe('hello\n\nmind the gap')
  })
  test('continue: false ends the work', async () => {
    const { outcome, requests } = await run(environment('PreToolUse', say({ continue: false, stopReason: 'enough' })))
    expect(outcome.report.stopReason).toBe('hook')
    expect(requests).toBe(1)
  })
  test.each([
    ['Bash', true],
    ['Write|Bash', true],
    ['Ba', false],
    ['B.*', true],
    ['', true],
    ['*', true],
    ['(', false],
    ['^(?!Bash)', false],
  ])('matcher %j: %s', async (matcher, fits) => {
    const { hooks } = await run(environment('PreToolUse', 'exit 2', matcher))
    expect(hooks.length).toBe(fits ? 1 : 0)
  })
  test('a matcher that takes for ever ends with the run', async () => {
    const reason = new Error('enough')
    const end = new AbortController()
    const running = selectHooks(endless, { event: 'PreToolUse', tool: 'EndsWithTheRun' }, end.signal)
    setImmediate(() => end.abort(reason))
    await expect(running).rejects.toBe(reason)
  })
})

describe('after a call', () => {
  test.each([
    ['exit code 2', 'echo "tidy up" >&2; exit 2'],
    ['decision: block', say({ decision: 'block', reason: 'tidy up' })],
    ['more context', own('PostToolUse', { additionalContext: 'tidy up' })],
  ])('%s is told to the model; nothing is undone', async (_what, command) => {
    const { made, result, outcome } = await run(environment('PostToolUse', command))
    expect(made).toBe('hello\n')
    expect(result).toMatchObject({ is_error: false, output: expect.stringMatching(/^hello\n\n.*tidy up$/) })
    expect(outcome.report.permissionDenials).toEqual([])
  })
})

describe('at the end', () => {
  test.each([
    ['exit code 2', 'echo "say goodbye" >&2; exit 2'],
    ['decision: block', say({ decision: 'block', reason: 'say goodbye' })],
  ])('%s makes the agent go on, once when it minds stop_hook_active', async (_what, command) => {
    const once = `if grep -q '"stop_hook_active":true' $HOME/Stop.json; then exit 0; fi; ${command}`
    const { outcome, hooks } = await run(environment('Stop', once))
    expect(outcome.report.finalResponse).toBe('Goodbye.')
    expect(hooks.map((hook) => hook.outcome)).toEqual(['blocked', 'ok'])
  })
  test('one that never lets go ends with the turns', async () => {
    const { outcome, requests } = await run(environment('Stop', 'exit 2'), { maxTurns: 4 })
    expect(outcome.status).toBe('completed')
    expect(requests).toBe(4)
  })
})

describe('what it is given', () => {
  const input = async (event: string) => JSON.parse(await readFile(path.join(stage.home, `${event}.json`), 'utf8'))
  const common = () => ({
    cwd: stage.cwd,
    permission_mode: 'bypassPermissions',
    session_id: expect.stringMatching(/^[\da-f-]{36}$/),
  })
  const call = {
    tool_name: 'Bash',
    tool_input: { command: 'echo hello | tee made.txt' },
    tool_use_id: expect.any(String),
  }

  test.each<[string, object]>([
    ['PreToolUse', call],
    ['PostToolUse', { ...call, tool_response: { stdout: 'hello', stderr: '', interrupted: false, isImage: false } }],
    ['Stop', { stop_hook_active: false, last_assistant_message: 'Done.' }],
  ])('%s', async (event, fields) => {
    await run(environment(event, 'exit 0'))
    const { transcript_path, ...rest } = await input(event)
    expect(rest).toEqual({ ...common(), hook_event_name: event, ...fields })
    expect(await readFile(transcript_path, 'utf8')).toContain('"tool_call"')
  })
  test('the project folder, and no key', async () => {
    await run(environment('PreToolUse', 'env > $HOME/env.txt'))
    const env = await readFile(path.join(stage.home, 'env.txt'), 'utf8')
    expect(env).toContain(`CLAUDE_PROJECT_DIR=${stage.cwd}`)
    expect(env).not.toContain('practice-key')
  })
  test('rules are in the system prompt, and only then', async () => {
    await using server = await practice(`rules: [{ name: ends, text: 'Done.' }]`)
    const rules = [{ name: 'house.md', text: 'RULE-CANARY' }]
    const given = { ...environment('Stop', 'exit 0'), rules }
    await perform(anthropic, stage.task({ credentials: keysFor(server), environment: given }))
    await perform(anthropic, stage.task({ credentials: keysFor(server) }))
    expect(server.requests.map(({ system }) => system.includes('RULE-CANARY'))).toEqual([true, false])
  })
})

test('two hooks run side by side, the same command once; a block wins', async () => {
  const mark = 'echo x >> $HOME/ran'
  const hook = (command: string) => ({ type: 'command', command })
  const groups = [{ hooks: [hook(mark), hook('echo no >&2; exit 2')] }, { matcher: 'Bash', hooks: [hook(mark)] }]
  const given = { ...environment('PreToolUse', ''), hooks: { PreToolUse: groups } }
  const { made, hooks } = await run(given)
  expect(made).toBeNull()
  expect(hooks.map((each) => each.outcome)).toEqual(['ok', 'blocked'])
  expect(await readFile(path.join(stage.home, 'ran'), 'utf8')).toBe('x\n')
})
test('negative control: without hooks the call is done and nothing is told of any', async () => {
  const { made, hooks } = await run(undefined)
  expect([made, hooks]).toEqual(['hello\n', []])
})
