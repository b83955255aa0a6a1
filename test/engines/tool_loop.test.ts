/** The tool loop over each API that it knows: prompt, calls, retries, structured answers, failures. */
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { EmittedEvent, EngineTask } from '../../src/engines/engine.ts'
import { openRateLimiter } from '../../src/engines/limits/rate_limiter.ts'
import { findEngine } from '../../src/engines/table.ts'
import { fillSystemPrompt } from '../../src/engines/tool_loop/session.ts'
import { performCalls } from '../../src/engines/tool_loop/tool_calls.ts'
import { selectTools } from '../../src/engines/tool_loop/tools/table.ts'
import { parseScenario } from '../../src/features/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../src/features/practice/server.ts'
import { bodyCanary, keysFor, ofType, perform, stageOfEachTest } from './stage.ts'

const stage = stageOfEachTest()

const bash = (command: string) => `{ name: Bash, input: { command: '${command}' } }`

describe('system prompt', () => {
  const plain = () => fillSystemPrompt(stage.task())
  test('lists a skill by name, description and path below the working folder', async () => {
    const prompt = fillSystemPrompt(stage.task({ skills: await stage.skill() }))
    expect(prompt).toContain('- name: demo\n  description: Shows things.\n  file: .claude/skills/demo/SKILL.md')
    expect(prompt).not.toContain(bodyCanary)
    expect(prompt).not.toContain(stage.cwd)
  })
  test('without skills it does not speak of them; the rest is the same', async () => {
    const lines = fillSystemPrompt(stage.task({ skills: await stage.skill() })).split('\n')
    expect(plain()).not.toMatch(/skill/i)
    expect(lines).toEqual(expect.arrayContaining(plain().split('\n')))
  })
  const frame = 'Relative paths of your tools start in your working folder.'
  test('an identity stands first as it is written, and the only frame is one sentence at the end, which the docs have', async () => {
    const environment = { hooks: {}, rules: [], servers: {}, systemPrompt: 'You are Ledger.\n\n# Care' }
    const prompt = fillSystemPrompt(stage.task({ environment } as unknown as Partial<EngineTask>))
    expect(prompt).toBe(`You are Ledger.\n\n# Care\n\n${frame}`)
    expect(plain()).toBe(frame)
    expect(readFileSync('docs/reference/engines.md', 'utf8')).toContain(frame)
  })
  test.each(['none', 'read_only'] as const)('a judge with tools %s has no system prompt', (tools) =>
    expect(fillSystemPrompt(stage.task({ tools }))).toBe(''),
  )
  test('a description is one line and is not escaped', async () => {
    const [skill] = await stage.skill()
    if (skill === undefined) throw new Error('no skill')
    const skills = [{ ...skill, description: 'a <b>\n  & "c" {{d}}' }]
    expect(fillSystemPrompt(stage.task({ skills }))).toContain('description: a <b> & "c" {{d}}\n')
  })
})

/** Waits for nothing before another try. */
const impatient = { ...openRateLimiter(null), pause: async () => {} }

/** The APIs: whose engine speaks it, on which path, and the address that it is given. */
const apis = {
  messages: { name: 'anthropic', path: '/v1/messages', address: (url: string) => url },
  responses: { name: 'openai', path: '/v1/responses', address: (url: string) => `${url}/v1` },
  // another spelling: what a server has is remembered by its address, and ports come again
  chat: { name: 'openai', path: '/v1/chat/completions', address: (url: string) => `${url}/v1/` },
}

test('an unknown tool is told to the model', async () => {
  const events: EmittedEvent[] = []
  const emit = (event: EmittedEvent) => events.push(event)
  const { signal } = new AbortController()
  const place = { cwd: stage.cwd, env: {}, confined: false, sandbox: null, view: null, signal }
  const call = { id: 't', name: 'Fly', input: {} }
  const workshop = { tools: selectTools('all'), place, answerSchema: null, hooks: null, emit }
  const done = await performCalls({ calls: [call], lastIsCut: false, step: 1 }, workshop)
  expect(ofType(events, 'tool_result')).toMatchObject([{ is_error: true, output: expect.stringContaining('Bash') }])
  expect(done).toMatchObject({ results: [{ call, answer: { isError: true } }] })
})

describe.each(Object.entries(apis))('%s', (api, { name, path: place, address }) => {
  const engine = findEngine(name)
  const credentialsFor = (server: PracticeServer) => ({ ...keysFor(server), OPENAI_BASE_URL: address(server.url) })
  const run = (server: PracticeServer, more: Partial<EngineTask> = {}) =>
    perform(engine, stage.task({ credentials: credentialsFor(server), ...more }), { gate: impatient })
  const asked = (server: PracticeServer) => server.requests.filter((one) => one.path === place)
  /** A test of what these APIs have and the others have not. */
  const only =
    (...these: string[]) =>
    (title: string, work: () => Promise<void>) => {
      if (these.includes(api)) test(title, work)
    }
  /** A server; for Chat Completions one that has no Responses API. */
  const practice = (yaml: string) => {
    const scenario = parseScenario(yaml, 'test.yaml')
    const { faults } = parseScenario(
      '{ rules: [], faults: [{ status: 404, path: "^/v1/responses$", message: no }] }',
      'x',
    )
    return startPractice({
      scenario: api === 'chat' ? { ...scenario, faults: [...faults, ...scenario.faults] } : scenario,
    })
  }

  describe('loop', () => {
    test('several calls of one response run in order and are answered together', async () => {
      await using server = await practice(`
rules:
  - { name: end, when: { turn: 2 }, answer: { text: done } }
  - { name: two, answer: { tool_calls: [${bash('printf a > x')}, ${bash('cat x; printf b >> x')}, ${bash('cat x; exit 3')}] } }
`)
      const { events } = await run(server)
      expect(ofType(events, 'tool_result').map(({ output, is_error, step }) => [output, is_error, step])).toEqual([
        ['(no output, exit code 0)', false, 1],
        ['a', false, 1],
        ['ab\n(exit code 3)', true, 1],
      ])
      expect(asked(server)).toHaveLength(2)
    })

    test('a call with an input nested without end is bad output, and is not done', async () => {
      const input = `{ command: touch done, x: ${'['.repeat(300)}${']'.repeat(300)} }`
      await using server = await practice(
        `rules: [{ name: deep, answer: { tool_calls: [{ name: Bash, input: ${input} }] } }]`,
      )
      const { outcome, events } = await run(server)
      expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'bad_output' } })
      expect(outcome.report.usage?.output_tokens).toBeGreaterThan(0)
      expect(ofType(events, 'tool_call')).toMatchObject([{ input: '(nested deeper than 200 levels)' }])
      expect(ofType(events, 'tool_result')).toEqual([])
    })

    test('usage is summed over the responses', async () => {
      await using server = await practice(`
rules:
  - { name: end, when: { turn: 2 }, answer: { text: done, usage: { cache_read: 1000 } } }
  - { name: one, answer: { tool_calls: ${bash('true')}, usage: { cache_read: 200 } } }
`)
      expect((await run(server)).outcome.report.usage?.cache_read_tokens).toBe(1200)
    })

    only('messages')('a short name becomes a model id', async () => {
      await using server = await practice('rules: [{ name: a, answer: { text: a } }]')
      await run(server, { model: 'opus' })
      await run(server)
      expect(asked(server).map(({ model }) => model)).toEqual(['claude-opus-5-5', 'claude-sonnet-5-5'])
    })

    test.each(['refusal', 'max_tokens', ...(api === 'messages' ? ['stop_sequence'] : [])])(
      '%s ends the run as its stop reason',
      async (reason) => {
        await using server = await practice(`rules: [{ name: a, answer: { text: a, stop_reason: ${reason} } }]`)
        expect((await run(server)).outcome).toMatchObject({ status: 'completed', report: { stopReason: reason } })
      },
    )

    test('a call that was cut by the length limit is not done', async () => {
      await using server = await practice(`
rules:
  - { name: end, when: { turn: 2 }, answer: { text: done } }
  - { name: cut, answer: { tool_calls: [${bash('touch first')}, ${bash('touch second')}], stop_reason: max_tokens } }
`)
      const { events } = await run(server)
      expect(ofType(events, 'tool_result').map(({ is_error }) => is_error)).toEqual([false, true])
    })

    only('messages')('after pause_turn the model goes on', async () => {
      await using server = await practice(`
rules:
  - { name: end, when: { turn: 2 }, answer: { text: done } }
  - { name: pause, answer: { text: wait, stop_reason: pause_turn } }
`)
      expect((await run(server)).outcome.report).toMatchObject({ finalResponse: 'done', stopReason: 'end_turn' })
    })

    test('its tools get no credential; what stands in their environment they do get', async () => {
      await using server = await practice(`
rules:
  - { name: end, when: { turn: 2 }, answer: { text: done } }
  - { name: look, answer: { tool_calls: ${bash('env')} } }
`)
      const { events } = await run(server, { env: { ...stage.env, MINE: 'other-key' } })
      const [{ output = '' } = {}] = ofType(events, 'tool_result')
      expect(output).toContain('other-key')
      expect(output).not.toContain('practice-key')
      expect(output).not.toContain(server.url)
    })

    only('responses', 'chat')(
      'a result tells itself that its call failed, since these APIs have no field for it',
      async () => {
        await using server = await practice(`
rules:
  - { name: end, when: { turn: 2 }, answer: { text: 'got {{lastResult}}' } }
  - { name: look, answer: { tool_calls: { name: Read, input: { file_path: none.txt } } } }
`)
        const { outcome, events } = await run(server)
        expect(outcome.report.finalResponse).toMatch(/^got Error: /)
        expect(ofType(events, 'tool_result')[0]?.output).not.toMatch(/^Error: /)
      },
    )

    test('tools: none offers none', async () => {
      await using server = await practice('rules: [{ name: a, answer: { text: a } }]')
      const { outcome } = await run(server, { tools: 'none' })
      expect(outcome.report.loaded?.tools).toEqual([])
      expect(asked(server)[0]?.tools).toEqual([])
    })

    only('messages', 'responses')('what it thought is told, and goes back to it', async () => {
      await using server = await practice(`
rules:
  - { name: end, when: { turn: 2 }, answer: { text: done } }
  - { name: think, thinking: It may be here., tool_calls: ${bash('true')} }
`)
      const { events } = await run(server)
      expect(ofType(events, 'thinking')).toMatchObject([{ step: 1, text: 'It may be here.' }])
      expect(JSON.stringify(asked(server)[1]?.messages)).toContain('It may be here.')
    })

    only('messages', 'responses')('an image is shown as an image', async () => {
      await writeFile(path.join(stage.cwd, 'dot.txt'), png)
      await using server = await practice(`
rules:
  - { name: end, when: { turn: 2 }, answer: { text: done } }
  - { name: look, answer: { tool_calls: { name: Read, input: { file_path: dot.txt } } } }
`)
      await run(server, { tools: 'read_only' })
      expect(JSON.stringify(asked(server)[1]?.messages)).toMatch(/"media_type":"image\/png"|data:image\/png;base64/)
    })
  })

  describe('structured answers', () => {
    const answerSchema = { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] }

    test('a model that ends without one is asked once more', async () => {
      await using server = await practice(`
rules:
  - { name: give, when: { last: You ended without }, answer: { tool_calls: { name: submit, input: { ok: true } } } }
  - { name: talk, answer: { text: it is fine } }
`)
      const { outcome, events } = await run(server, { answerSchema, tools: 'none' })
      expect(outcome.report).toMatchObject({ answer: { ok: true }, stopReason: 'submitted' })
      expect(ofType(events, 'user')).toHaveLength(1)
    })

    test('a model that never gives one: completed without an answer', async () => {
      await using server = await practice('rules: [{ name: talk, answer: { text: it is fine } }]')
      const { outcome } = await run(server, { answerSchema })
      expect(outcome).toMatchObject({ status: 'completed', report: { answer: undefined, finalResponse: 'it is fine' } })
      expect(asked(server)).toHaveLength(2)
    })

    test.each([
      ['that differ fit no schema', 'false', [{ ok: true }, { ok: false }]],
      ['that agree are one', 'true', { ok: true }],
    ])('two %s', async (_, second, answer) => {
      const call = (ok: string) => `{ name: submit, input: { ok: ${ok} } }`
      await using server = await practice(
        `rules: [{ name: a, answer: { tool_calls: [${call('true')}, ${call(second)}] } }]`,
      )
      expect((await run(server, { answerSchema })).outcome.report.answer).toEqual(answer)
    })

    test('what is called after it is left', async () => {
      await using server = await practice(
        `rules: [{ name: a, answer: { tool_calls: [{ name: submit, input: { ok: true } }, ${bash('touch late')}] } }]`,
      )
      const { outcome, events } = await run(server, { answerSchema })
      expect(outcome.report.answer).toEqual({ ok: true })
      expect(ofType(events, 'tool_result').map(({ name }) => name)).toEqual(['submit'])
    })
  })

  describe('failures', () => {
    const working = (fault: string) => `
rules:
  - { name: broken, when: { turn: 2 }, fault: { ${fault} }, answer: { text: done } }
  - { name: begin, answer: { tool_calls: ${bash('echo x >> begun')} } }
`
    test.each([
      'status: 429, retry_after: 0, first: 2',
      'status: 529, first: 1',
      'cut: 2, first: 1',
      'malformed: true, first: 1',
    ])('at work, a request that met { %s } is tried again; the work is not', async (fault) => {
      await using server = await practice(working(fault))
      const { outcome, events } = await run(server)
      expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'done' } })
      expect(ofType(events, 'tool_call')).toHaveLength(1)
      expect(ofType(events, 'assistant')).toHaveLength(1)
    })

    test('at work, it gives up after four tries, with what is known so far', async () => {
      await using server = await practice(working('status: 500'))
      const { outcome } = await run(server)
      expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'server_error', retryable: true } })
      expect(outcome.report.usage?.output_tokens).toBeGreaterThan(0)
      expect(asked(server)).toHaveLength(1 + 4)
    })

    test('at work, a server that asks for a long wait is told to the caller', async () => {
      await using server = await practice(working('status: 429, retry_after: 3600'))
      const { outcome } = await run(server)
      expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'rate_limited', retryAfterMs: 3_600_000 } })
      expect(asked(server)).toHaveLength(2)
    })

    test('without a key nothing is sent', async () => {
      await using server = await practice('rules: [{ name: a, answer: { text: a } }]')
      const { outcome } = await run(server, {
        credentials: { ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: address(server.url) },
      })
      expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'credentials', retryable: true } })
      expect(server.requests).toEqual([])
    })
  })
})

const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
