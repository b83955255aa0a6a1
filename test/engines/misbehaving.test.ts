/** Agents that behave badly, as real executables: every run of one ends, with a true outcome, and leaves no process. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { endMarked, findMarkedProcesses } from '../../src/base/process/marked_processes.ts'
import { claudeCode, runClaude } from '../../src/engines/claude_code/claude_code.ts'
import { commandEngine } from '../../src/features/command/any_program.ts'
import { agents, ofType, openStage, perform, stageOfEachTest } from './stage.ts'

const stage = stageOfEachTest()

const noneLeft = () =>
  vi.waitFor(async () => expect(await findMarkedProcesses(stage.mark)).toEqual([]), { timeout: 60_000, interval: 50 })

describe('command', () => {
  const run = (way: string) => perform(commandEngine, stage.task({ command: `node ${agents}/misbehave.mjs ${way}` }))

  test('30 MB on stdout: the head is kept, the run completes', async () => {
    const { outcome } = await run('flood')
    expect(outcome.status).toBe('completed')
    expect(outcome.report.finalResponse.length).toBeLessThan(2 * 1024 * 1024)
    expect(outcome.report.finalResponse).toMatch(/only the first \d+ characters are kept/)
  })

  test('waiting on stdin: it is closed, even when the prompt is an argument', async () => {
    const { outcome } = await run('wait_on_stdin {prompt}')
    expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'stdin ended after 0 bytes' } })
  })

  test('a crash is a failure with what it said', async () => {
    const { outcome, events } = await run('crash')
    expect(outcome).toMatchObject({
      status: 'failed',
      error: { kind: 'crash', retryable: true, message: expect.stringMatching(/exit code 7: it broke here/) },
      report: { exitCode: 7, finalResponse: 'half an ans' },
    })
    expect(ofType(events, 'error')).toHaveLength(1)
  })

  test('death by a signal is a crash', async () => {
    const { outcome } = await run('kill_itself')
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'crash' }, report: { signal: 'SIGKILL' } })
  })

  test.each([
    ['no-such-program-here', 'missing_binary'],
    ['a "b', 'bad_request'],
  ])('%s: %s', async (line, kind) => {
    const { outcome } = await perform(commandEngine, stage.task({ command: line }))
    expect(outcome).toMatchObject({ status: 'failed', error: { kind, retryable: false } })
  })

  test('a prompt that is too long for an argument says so', async () => {
    const task = stage.task({ command: `node ${agents}/worker.mjs --prompt {prompt}`, prompt: 'x'.repeat(300_000) })
    const { outcome } = await perform(commandEngine, task)
    expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'bad_request' } })
  })

  test('stderr goes to the file', async () => {
    const stderrFile = path.join(stage.home, 'stderr.log')
    await perform(commandEngine, stage.task({ command: `node ${agents}/misbehave.mjs crash` }), { stderrFile })
    expect(await readFile(stderrFile, 'utf8')).toContain('it broke here')
  })
})

describe('claude-code', () => {
  const taskFor = (prompt: string) => {
    return { prompt, credentials: { WHETSTONE_CLAUDE: `${agents}/fake_claude.mjs`, ANTHROPIC_API_KEY: 'k' } }
  }
  const run = (prompt: string) => perform(claudeCode, stage.task(taskFor(prompt)))

  // each waits as long as a process has to end
  test.concurrent.each(['well', 'ignore_sigterm', 'speak_after_result', 'flood', 'flood_plain', 'daemon'])(
    '%s: completes by its result',
    async (way) => {
      await using own = await openStage()
      const { outcome, events } = await perform(claudeCode, own.task(taskFor(way)))
      expect(outcome).toMatchObject({
        status: 'completed',
        report: {
          ...{ finalResponse: 'done', version: '2.1.329', model: 'fake-1', sessionId: 's-1', stopReason: 'end_turn' },
          usage: { input_tokens: 5, output_tokens: 7, cache_read_tokens: 1, cache_write_tokens: 2 },
          cost: { usd: 0.25, source: 'agent' },
          loaded: { skills: [], tools: ['Bash'], mcp_servers: [] },
        },
      })
      expect(ofType(events, 'assistant')).toMatchObject([{ text: 'done', step: 1 }])
      expect(JSON.stringify(events).length).toBeLessThan(5_000_000)
      // a record after the result is kept, and changes nothing
      const late = ofType(events, 'system').filter(({ subtype }) => subtype === 'system/late_news')
      expect(late).toHaveLength(way === 'speak_after_result' ? 1 : 0)
      // what put itself into a group of its own carries the mark of the run
      expect(await endMarked(own.mark)).toBe(way === 'daemon' ? 1 : 0)
    },
  )

  test.each(['deep_call', 'deep_noise'])('%s: nested without end is bad output, its cost known', async (way) => {
    const { outcome } = await run(way)
    const error = { kind: 'bad_output', message: expect.stringContaining('nested deeper than 200 levels') }
    expect(outcome).toMatchObject({ status: 'failed', error, report: { cost: { usd: 0.25 } } })
    await noneLeft()
  })

  test('records of an unknown type are kept', async () => {
    const { outcome, events } = await run('speak_new')
    expect(outcome.report.finalResponse).toBe('done')
    const kept = ofType(events, 'system').map(({ subtype, raw }) => [subtype, raw])
    expect(kept).toContainEqual(['hologram', { type: 'hologram', depth: 3 }])
    expect(kept).toContainEqual(['assistant', { type: 'assistant', odd: true }])
  })

  test('lines of one message are one step; per-model counts are summed', async () => {
    const { outcome, events } = await run('split_message')
    const steps = events.map(({ type, step }) => `${type} ${step}`)
    expect(steps).toEqual(['system 0', 'thinking 1', 'tool_call 1', 'tool_result 1', 'assistant 2', 'result 2'])
    expect(ofType(events, 'tool_result')).toMatchObject([{ name: 'Bash', output: 'a.txt\n[image]' }])
    expect(outcome.report).toMatchObject({
      model: 'fake-1',
      usage: { input_tokens: 11, output_tokens: 22, cache_read_tokens: 1, cache_write_tokens: 2 },
      permissionDenials: ['WebFetch'],
    })
  })

  test('a cost that it does not name is estimated; for a model without a price it is unknown, not 0', async () => {
    const cost = async (way: string) => (await run(way)).outcome.report.cost
    const estimated = await cost('unpriced')
    expect(estimated).toEqual({ usd: expect.any(Number), source: 'estimated' })
    expect(estimated?.usd).toBeGreaterThan(0)
    expect(await cost('unpriced_stranger')).toBeNull()
  })

  test.each([
    ['half_line', 'bad_output', true, 'no result'],
    ['half_line_and_fail', 'crash', true, '(exit code 9): out of memory'],
    ['kill_itself', 'crash', true, 'SIGKILL'],
    ['break_inside', 'crash', true, 'it broke'],
    ['e401', 'credentials', true, 'Invalid API key'],
    ['old_401', 'credentials', true, 'API Error: 401'],
    ['e404', 'bad_request', false, 'issue with the selected model'],
    ['e429', 'rate_limited', true, 'slow down'],
    ['e529', 'overloaded', true, 'Overloaded'],
    ['hidden_error', 'server_error', true, 'boom'],
    ['unreachable', 'unreachable', true, 'ECONNREFUSED'],
  ])('%s: failed, %s', async (way, kind, retryable, message) => {
    // it sends no request, so Whetstone would not believe it
    const asItIs = { ...claudeCode, run: runClaude }
    const { outcome, events } = await perform(asItIs, stage.task(taskFor(way)))
    const error = { kind, retryable, message: expect.stringContaining(message) }
    expect(outcome).toMatchObject({ status: 'failed', error })
    expect(ofType(events, 'result')).toEqual([])
    if (way.startsWith('e')) expect(outcome.report.cost).toBeNull()
  })
})
