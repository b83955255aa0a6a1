/** One contract for every engine: what a run of it gives, whatever stands behind. */
import { existsSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { findMarkedProcesses } from '../../src/base/process/marked_processes.ts'
import { findJsonAnswer } from '../../src/engines/answers/json_answer.ts'
import type { EngineContext, EngineTask } from '../../src/engines/engine.ts'
import type { PracticeServer } from '../../src/features/practice/server.ts'
import { createEarlyReport } from '../../src/phases/2-run/run_with_timeout.ts'
import { findContender, ownRetryNames, rulesFor } from './contenders.ts'
import { letAgentWrite, noRecording, type Recording } from './recorded/recording.ts'
import { bodyCanary, ofType, openStage, perform, practice, stageOfEachTest } from './stage.ts'

const answerSchema = {
  type: 'object',
  properties: { verdict: { type: 'string' }, score: { type: 'integer' } },
  required: ['verdict', 'score'],
}

const withoutRetries = Object.fromEntries(ownRetryNames.map((one) => [one, '0']))

/** Registers the contract of one engine; with a recording, what can be held against that. */
export function contract(name: string, recording: Recording = noRecording): void {
  const contender = findContender(name)
  const { engine, needs: needed, read, shell, shows } = contender
  const { isPlayed } = recording
  const suite = isPlayed ? describe : contender.suite
  /** What a stand-in for the CLI can't show: requests to the model's server, and what tools do. */
  const testReal = (title: string, body: () => Promise<void>) => (isPlayed ? undefined : test(title, body))
  const play = (scene: string, task: EngineTask, more: Partial<EngineContext> = {}) =>
    recording.run(scene, task, (one) => perform(engine, one, more))
  // opencode takes seconds of CPU to start, and a machine may be busy
  vi.setConfig({ testTimeout: 240_000 })
  suite(`the contract of ${name}`, () => {
    let server: PracticeServer
    const stage = stageOfEachTest()
    const task = (more: Partial<EngineTask> = {}) => stage.task({ ...needed(server), ...more })
    beforeAll(async () => {
      server = await practice(rulesFor(contender))
      vi.stubEnv('HARNESS_CANARY', 'canary')
    })
    afterAll(async () => {
      vi.unstubAllEnvs()
      await server.close()
    })

    /** One run that writes a file: its prompt begins with a dash and holds quotes. */
    const greeting = once(async () => {
      const own = await openStage()
      const ran = await play('greeting', own.task({ ...needed(server), prompt: '-p --version "greet" $(date) \'' }))
      return { ...ran, cwd: own.cwd, [Symbol.asyncDispose]: own[Symbol.asyncDispose] }
    })
    /** One run that only speaks. */
    const speech = { prompt: 'echo {"a": 1}' }
    const spoken = once(async () => {
      const own = await openStage()
      const before = server.requests.length
      const effort = engine.efforts === undefined ? {} : { effort: 'high' }
      const ran = await play('speech', own.task({ ...needed(server), ...speech, ...effort }))
      return { ...ran, asked: server.requests.slice(before), [Symbol.asyncDispose]: own[Symbol.asyncDispose] }
    })
    afterAll(async () => {
      await greeting.end()
      await spoken.end()
    })

    test('completes with the final text; a prompt may begin with a dash or hold quotes', async () => {
      const { outcome, events } = await greeting()
      expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: 'all done' } })
      expect(ofType(events, 'result')).toMatchObject([{ text: 'all done' }])
      expect(ofType(events, 'assistant').at(-1)).toMatchObject({ text: 'all done' })
    })

    testReal('writes files into its working folder', async () => {
      const { cwd } = await greeting()
      expect(await readFile(path.join(cwd, 'greeting.txt'), 'utf8')).toBe('hello')
    })

    testReal('sees its environment and nothing of the harness', async () => {
      await perform(engine, task({ prompt: 'env please', env: { ...stage.env, MINE: 'mine' } }))
      const env = await readFile(path.join(stage.cwd, 'env.txt'), 'utf8')
      expect(env).toContain('MINE=mine')
      expect(env).toContain(`HOME=${stage.home}`)
      expect(env).not.toContain('HARNESS_CANARY')
    })

    test('abort ends the agent, rejects with the reason, leaves no process; what it took until then is known, as far as it shows', async () => {
      const abort = new AbortController()
      const early = createEarlyReport()
      const { soFar } = early
      const running = play('abort', task({ prompt: 'sleep later' }), { signal: abort.signal, soFar })
      const ended = expect(running).rejects.toThrow('enough')
      const started = () => expect(existsSync(path.join(stage.cwd, 'started'))).toBe(true)
      await Promise.race([ended, vi.waitFor(started, { timeout: 120_000 })])
      expect(await findMarkedProcesses(stage.mark)).not.toEqual([])
      // the tokens of a response may come a moment after its tool has begun
      if (shows !== null)
        await vi.waitFor(async () => expect((await early.take()).usage).not.toBeNull(), { timeout: 60_000 })
      await letAgentWrite()
      abort.abort(new Error('enough'))
      await ended
      await vi.waitFor(async () => expect(await findMarkedProcesses(stage.mark)).toEqual([]), { timeout: 60_000 })
      const { usage, cost, model } = await early.take()
      if (shows === null) {
        expect({ usage, cost }).toEqual({ usage: null, cost: null })
        return
      }
      expect(usage?.input_tokens).toBeGreaterThan(0)
      expect(usage?.output_tokens).toBeGreaterThan(0)
      expect(cost?.usd).toBeGreaterThan(0)
      expect(model).toContain(shows.model)
    })

    test('an aborted signal starts nothing', async () => {
      await expect(perform(engine, task(), { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no')
      expect(existsSync(path.join(stage.cwd, 'greeting.txt'))).toBe(false)
    })

    test('gives a structured answer', async () => {
      const { outcome } = await play('structured answer', task({ prompt: 'verdict', answerSchema }))
      expect(outcome.status).toBe('completed')
      const { answer, finalResponse } = outcome.report
      const given = answer === undefined ? findJsonAnswer(finalResponse, answerSchema) : { value: answer }
      expect(given).toEqual({ value: { verdict: 'yes', score: 3 } })
    })

    test('gives no answer when none was asked for', async () => {
      const { outcome } = await spoken()
      expect(outcome.report.answer).toBeUndefined()
    })

    if (shows === null) {
      test('says nothing of what it does not know', async () => {
        const { outcome } = await greeting()
        expect(outcome.report).toMatchObject({ usage: null, cost: null, loaded: null, model: null, version: null })
        expect(outcome.report.permissionDenials).toBeNull()
      })
      return
    }

    if (engine.efforts !== undefined) {
      testReal('asks its model for the level of effort', async () => {
        const { asked } = await spoken()
        const sent = asked.flatMap((one) => one.thinking_budget ?? one.effort ?? [])
        expect(new Set(sent)).toEqual(new Set([shows.high ?? 'high']))
      })
    }

    test('offers the skill by name and description; its body comes when it is read', async () => {
      const skills = await stage.skill(engine.skillsFolder)
      const before = server.requests.length
      const { outcome, events } = await play('skill', task({ prompt: 'use the skill', skills }))
      expect(outcome.report.loaded?.skills).toContain('demo')
      expect(ofType(events, 'skill_read')).toMatchObject([{ skill: 'demo', step: 1 }])
      if (isPlayed) return
      const asked = server.requests
        .slice(before)
        .filter((one) => /\/(messages|responses|chat\/completions)$|:streamGenerateContent$/.test(one.path))
      const first = JSON.stringify(asked[0])
      expect(first).toContain('Shows things.')
      expect(first).not.toContain(bodyCanary)
      expect(JSON.stringify(asked[1])).toContain(bodyCanary)
    })

    testReal('without the skill: not offered, not read', async () => {
      const before = server.requests.length
      const { outcome, events } = await perform(engine, task({ prompt: 'use the skill' }))
      expect(outcome.report.loaded?.skills ?? []).not.toContain('demo')
      expect(ofType(events, 'skill_read')).toEqual([])
      expect(ofType(events, 'tool_result')).toMatchObject([{ is_error: true }])
      expect(JSON.stringify(server.requests.slice(before))).not.toContain('Shows things.')
    })

    test('tells its tool calls, steps, tokens, cost, model and version', async () => {
      const { outcome, events } = await greeting()
      const [call] = ofType(events, 'tool_call')
      expect(call).toMatchObject({ name: shows.tool, step: 1, input: { command: 'printf hello > greeting.txt' } })
      expect(ofType(events, 'tool_result')).toMatchObject([
        { id: call?.id, name: shows.tool, is_error: false, step: 1 },
      ])
      expect(ofType(events, 'assistant').map(({ step }) => step)).toEqual([1, 2])
      const { usage, cost, model, version, provider, sessionId, stopReason } = outcome.report
      expect(usage?.input_tokens).toBeGreaterThan(0)
      expect(usage?.output_tokens).toBeGreaterThan(0)
      expect(cost?.usd).toBeGreaterThan(0)
      expect({ model, provider }).toEqual({ model: expect.stringContaining(shows.model), provider: shows.provider })
      expect(version).toMatch(/^\d+\.\d+\.\d+/)
      expect(sessionId).toMatch(/^[\w-]{10,}$/)
      expect(stopReason).toMatch(/^\w+$/)
      expect(outcome.report.loaded).not.toBeNull()
    })

    test('tells tokens by kind, each counted once', async () => {
      const written = shows.hidesCacheWrites ? 0 : 20_000
      const kinds = { cache_read: 30_000, cache_write: written, reasoning: 70 }
      await using counting = await practice(JSON.stringify({ rules: [{ name: 'a', text: 'all done', usage: kinds }] }))
      const counted = await play('tokens', stage.task({ ...needed(counting), ...speech }))
      const [plain, more] = [(await spoken()).outcome.report.usage, counted.outcome.report.usage]
      expect(plain).toMatchObject({ cache_read_tokens: 0, cache_write_tokens: 0 })
      expect(more).toMatchObject({ cache_read_tokens: 30_000, cache_write_tokens: written })
      expect(more?.reasoning_tokens).toBe(shows.hidesReasoning ? undefined : 70)
      expect(more?.output_tokens).toBe((plain?.output_tokens ?? 0) + 70)
      // an agent's own prompt differs a little from run to run; tokens of the cache counted as input would be 20,000 more
      expect(Math.abs((more?.input_tokens ?? 0) - (plain?.input_tokens ?? 0))).toBeLessThan(1000)
    })

    testReal('a judge reads below its folder and nowhere else', async () => {
      const rules = [
        { name: 'end', when: { turn: { min: 2 } }, answer: { text: 'all done' } },
        { name: 'inside', when: { user: 'inside' }, answer: { tool_calls: [read(path.join(stage.cwd, 'note.md'))] } },
        { name: 'outside', answer: { tool_calls: [read(`${stage.home}/note.md`)] } },
      ]
      await using reading = await practice(JSON.stringify({ rules }))
      for (const folder of [stage.cwd, stage.home]) await writeFile(path.join(folder, 'note.md'), 'NOTE-CANARY')
      const judge = (prompt: string) => perform(engine, stage.task({ ...needed(reading), prompt, tools: 'read_only' }))
      const inside = ofType((await judge('inside')).events, 'tool_result')
      expect(inside).toMatchObject([{ is_error: false, output: expect.stringContaining('NOTE-CANARY') }])
      const outside = ofType((await judge('outside')).events, 'tool_result')
      expect(outside).toMatchObject([{ is_error: true, output: expect.not.stringContaining('NOTE-CANARY') }])
    })

    test('stops after the turns that it may take', async () => {
      const rules = [{ name: 'again', answer: { tool_calls: [shell('echo x >> turns.txt')] } }]
      await using loop = await practice(JSON.stringify({ rules }))
      const { outcome, events } = await play('max turns', stage.task({ ...needed(loop), maxTurns: 3 }))
      expect(outcome).toMatchObject({ status: 'completed', report: { stopReason: 'max_turns' } })
      expect(Math.max(...events.map(({ step }) => step))).toBe(3)
      if (isPlayed) return
      expect(await readFile(path.join(stage.cwd, 'turns.txt'), 'utf8')).toBe('x\nx\nx\n')
    })

    // the other statuses are events: contract_events.ts
    test('a server that answers 404 is a failure of its kind', async () => {
      await using broken = await practice('faults: [{ status: 404 }]\nrules: [{ name: a, answer: { text: a } }]')
      const env = { ...stage.env, ...withoutRetries }
      const { outcome, events } = await play('status 404', stage.task({ ...needed(broken), env }))
      const error = { kind: 'bad_request', retryable: false }
      expect(outcome).toMatchObject({ status: 'failed', error })
      expect(ofType(events, 'error')).toMatchObject([{ kind: error.kind }])
      expect(ofType(events, 'result')).toEqual([])
    })

    testReal('a server that is not there is unreachable', async () => {
      const gone = await practice('rules: [{ name: a, answer: { text: a } }]')
      await gone.close()
      const env = { ...stage.env, ...withoutRetries }
      const { outcome } = await perform(engine, stage.task({ ...needed(gone), env }))
      expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'unreachable', retryable: true } })
    })
  })
}

/** What is made when it is first asked for, and then kept until its end. */
function once<T extends AsyncDisposable>(make: () => Promise<T>) {
  let made: Promise<T> | undefined
  const get = () => {
    made ??= make()
    return made
  }
  return Object.assign(get, { end: async () => void (await (await made)?.[Symbol.asyncDispose]()) })
}
