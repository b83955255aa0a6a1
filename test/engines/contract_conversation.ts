/** One contract of conversations for every engine that continues a session: three turns, seen from the server's side and in the report. */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { findMarkedProcesses } from '../../src/base/process/marked_processes.ts'
import type { EmittedEvent, EngineTask, TurnAnswer } from '../../src/engines/engine.ts'
import type { LoggedRequest } from '../../src/features/practice/log.ts'
import type { PracticeServer } from '../../src/features/practice/server.ts'
import { createEarlyReport } from '../../src/phases/2-run/run_with_timeout.ts'
import { type Contender, findContender, ownRetryNames } from './contenders.ts'
import { letAgentWrite, noRecording, type Recording } from './recorded/recording.ts'
import { ofType, type Performed, practice, stageOfEachTest } from './stage.ts'

/** What the user says, and what the model answers at last. */
const first = { prompt: 'FIRST-MESSAGE: run it', answer: 'First answer. Which one?' }
const second = { prompt: 'SECOND-MESSAGE: the red one', answer: 'Second answer.' }
const third = { prompt: 'THIRD-MESSAGE: thanks', answer: 'Third answer.' }

/** Tokens that each response reports: the sum shows each response that is counted, and how often. */
const tokens = { call: 1000, first: 2000, second: 4000, third: 8000 }
const allTokens = 15_000

type RuleName = keyof typeof tokens
const isRuleName = (rule: string | null): rule is RuleName => rule !== null && Object.hasOwn(tokens, rule)

/** A call whose output the model waits for: Qwen Code may lose what a command prints just before its end on a busy machine. */
function print({ engine, shell }: Contender, command: string) {
  return shell(engine.name === 'qwen' ? `${command}; sleep 1` : command)
}

/** `changes` replace the answer of a rule; `more` are tried before the others. */
function rulesFor(
  contender: Contender,
  changes: Partial<Record<RuleName, object>> = {},
  more: readonly object[] = [],
): string {
  const call = { tool_calls: [print(contender, 'printf "the tool says %s" seven')] }
  const usage = (name: RuleName) => ({ usage: { cache_read: tokens[name], reasoning: tokens[name] / 100 } })
  const rule = (name: RuleName, when: object, does: object) => ({
    ...{ name, when },
    ...('fault' in does ? does : { answer: { ...does, ...usage(name) } }),
  })
  return JSON.stringify({
    rules: [
      ...more,
      rule('third', { last: 'THIRD-MESSAGE' }, changes.third ?? { text: third.answer }),
      rule('second', { last: 'SECOND-MESSAGE' }, changes.second ?? { text: second.answer }),
      rule('call', { last: 'FIRST-MESSAGE' }, changes.call ?? call),
      rule('first', { result: 'the tool says seven' }, changes.first ?? { text: first.answer }),
      { name: 'other', answer: { text: 'anything else' } },
    ],
  })
}

/** The requests of the conversation itself, without those for a title and the like. */
const asked = ({ requests }: PracticeServer) => requests.filter(({ rule }) => isRuleName(rule))

/** One session: each request has all earlier messages, answers and results in their order, and none that is later. */
function expectOneSession(requests: readonly LoggedRequest[]): void {
  expect(requests.map(({ rule }) => rule)).toEqual(['call', 'first', 'second', 'third'])
  const parts = [first.prompt, 'the tool says seven', first.answer, second.prompt, second.answer, third.prompt]
  for (const [index, known] of [1, 2, 4, 6].entries()) {
    const said = JSON.stringify(requests[index]?.messages)
    const places = parts.map((part) => said.indexOf(part))
    expect(places.slice(0, known)).not.toContain(-1)
    expect(places.slice(0, known)).toEqual(places.slice(0, known).sort((a, b) => a - b))
    expect(new Set(places.slice(known))).toEqual(known < 6 ? new Set([-1]) : new Set())
  }
}

type TalkContext = { signal?: AbortSignal; soFar?: ReturnType<typeof createEarlyReport>['soFar'] }

interface Talk extends Performed {
  /** What `nextMessage` was given. */
  answers: TurnAnswer[]
}

/** Runs a conversation whose user says `messages` after the prompt. */
async function converse(
  { engine }: Contender,
  task: EngineTask,
  messages: readonly string[],
  more: TalkContext = {},
): Promise<Talk> {
  const [events, answers, left]: [EmittedEvent[], TurnAnswer[], string[]] = [[], [], [...messages]]
  const nextMessage = async (answer: TurnAnswer) => {
    answers.push(answer)
    const text = left.shift() ?? null
    if (text !== null) events.push({ type: 'user', step: answer.step, text })
    return text
  }
  const context = { signal: new AbortController().signal, stderrFile: null, ...more }
  const outcome = await engine.run({ ...task, nextMessage }, { emit: (event) => events.push(event), ...context })
  return { outcome, events, answers }
}

/** Registers the contract of one engine; with a recording, what can be held against that. */
export function contractOfConversations(name: string, recording: Recording = noRecording): void {
  const contender = findContender(name)
  const { engine, needs: needed, shell, shows } = contender
  const { isPlayed } = recording
  const suite = isPlayed ? describe : contender.suite
  const testReal = (title: string, body: () => Promise<void>) => (isPlayed ? undefined : test(title, body))
  const talk = (scene: string, task: EngineTask, messages: readonly string[], more: TalkContext = {}) =>
    recording.run(scene, task, (one) => converse(contender, one, messages, more))
  vi.setConfig({ testTimeout: 240_000 })
  suite(`conversations with ${name}`, () => {
    const stage = stageOfEachTest()
    const taskFor = (server: PracticeServer, more: Partial<EngineTask> = {}) => {
      const env = { ...stage.env, ...Object.fromEntries(ownRetryNames.map((one) => [one, '0'])) }
      return stage.task({ ...needed(server), env, prompt: first.prompt, ...more })
    }

    test('three turns are one session, one report and one transcript', async () => {
      await using server = await practice(rulesFor(contender))
      const skills = await stage.skill(engine.skillsFolder)
      const task = taskFor(server, { skills })
      const { outcome, events, answers } = await talk('three turns', task, [second.prompt, third.prompt])
      expect(outcome).toMatchObject({ status: 'completed', report: { finalResponse: third.answer, answered: true } })
      if (!isPlayed) {
        expectOneSession(asked(server))
        expect(JSON.stringify(asked(server).at(-1))).toContain('Shows things.')
      }
      expect(answers).toEqual([
        { text: first.answer, step: 2 },
        { text: second.answer, step: 3 },
        { text: third.answer, step: 4 },
      ])
      const { usage, loaded, sessionId, stopReason } = outcome.report
      expect(stopReason).toBe('end_turn')
      expect(sessionId).toMatch(/^[\w-]{10,}$/)
      expectTokens(usage, allTokens)
      expect(loaded?.skills).toContain('demo')
      expect(ofType(events, 'assistant').map(({ step, text }) => [step, text])).toEqual([
        [2, first.answer],
        [3, second.answer],
        [4, third.answer],
      ])
      expect(ofType(events, 'tool_call').map(({ step }) => step)).toEqual([1])
      const steps = events.map(({ step }) => step)
      expect(steps).toEqual([...steps].sort((a, b) => a - b))
      for (const { prompt } of [second, third]) {
        expect(events.filter((one) => JSON.stringify(one).includes(prompt))).toMatchObject([{ type: 'user' }])
      }
      expect(ofType(events, 'result')).toMatchObject([{ step: 4, text: third.answer, usage }])
      expect(ofType(events, 'system').filter(({ subtype }) => subtype === 'init').length).toBeLessThan(2)
      // its own folders are removed after the last turn
      const folders = (await readdir(stage.home, { recursive: true })).filter((one) => one.includes(task.sessionId))
      if (name !== 'claude-code') expect(folders).toEqual([])
    })

    function expectTokens(usage: Talk['outcome']['report']['usage'], count: number): void {
      expect(usage?.cache_read_tokens).toBe(count)
      if (shows?.hidesReasoning !== true) expect(usage?.reasoning_tokens).toBe(count / 100)
    }

    test('a failure in the second turn is one of the run, with the tokens of the first', async () => {
      await using server = await practice(rulesFor(contender, { second: { fault: { status: 401 } } }))
      const { outcome, events, answers } = await talk('status 401', taskFor(server), [second.prompt, third.prompt])
      expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'credentials' }, report: { answered: true } })
      expectTokens(outcome.report.usage, tokens.call + tokens.first)
      expect(answers).toHaveLength(1)
      expect(ofType(events, 'error')).toMatchObject([{ kind: 'credentials' }])
      expect(ofType(events, 'result')).toEqual([])
    })

    test('abort in the second turn ends all processes, and both turns are counted', async () => {
      const works = { second: { tool_calls: [print(contender, 'printf "the second says %s" eight')] } }
      const sleep = { tool_calls: [shell('touch started; sleep 300')] }
      const sleeps = { name: 'sleeps', when: { last: 'the second says eight' }, answer: sleep }
      await using server = await practice(rulesFor(contender, works, [sleeps]))
      const abort = new AbortController()
      const early = createEarlyReport()
      const context = { signal: abort.signal, soFar: early.soFar }
      const running = talk('abort in the second turn', taskFor(server), [second.prompt], context)
      const ended = expect(running).rejects.toThrow('enough')
      const started = () => expect(existsSync(path.join(stage.cwd, 'started'))).toBe(true)
      await Promise.race([ended, vi.waitFor(started, { timeout: 120_000 })])
      const counted = tokens.call + tokens.first + tokens.second
      const seen = async () => {
        const { usage } = await early.take()
        expect(usage?.cache_read_tokens).toBe(counted)
      }
      // the tokens of a response may come a moment after its tool has begun
      await vi.waitFor(seen, { timeout: 60_000 })
      await letAgentWrite()
      abort.abort(new Error('enough'))
      await ended
      await vi.waitFor(async () => expect(await findMarkedProcesses(stage.mark)).toEqual([]), { timeout: 60_000 })
      await seen()
    })

    testReal('the limit of responses is one of the whole conversation', async () => {
      const again = { second: { tool_calls: [shell('echo x >> turns.txt')] }, third: { text: third.answer } }
      await using server = await practice(rulesFor(contender, again))
      const { outcome, events, answers } = await converse(contender, taskFor(server, { maxTurns: 3 }), [
        second.prompt,
        third.prompt,
      ])
      expect(outcome).toMatchObject({ status: 'completed', report: { stopReason: 'max_turns' } })
      expect(answers).toHaveLength(1)
      expect(Math.max(...events.map(({ step }) => step))).toBe(3)
    })

    testReal('a fresh session is seen in the log', async () => {
      await using server = await practice(rulesFor(contender))
      await converse(contender, taskFor(server), [])
      await converse(contender, taskFor(server, { prompt: second.prompt }), [third.prompt])
      expect(asked(server).map(({ rule }) => rule)).toEqual(['call', 'first', 'second', 'third'])
      expect(() => expectOneSession(asked(server))).toThrow()
    })

    testReal('with no response left there is no further turn', async () => {
      await using server = await practice(rulesFor(contender))
      const { outcome, answers } = await converse(contender, taskFor(server, { maxTurns: 2 }), [second.prompt])
      expect(outcome).toMatchObject({
        status: 'completed',
        report: { stopReason: 'max_turns', finalResponse: first.answer },
      })
      expect(answers).toHaveLength(1)
      expect(asked(server)).toHaveLength(2)
    })

    testReal('an answer that is cut ends the conversation', async () => {
      const cut = { first: { text: first.answer, stop_reason: 'max_tokens' } }
      await using server = await practice(rulesFor(contender, cut))
      const { outcome, answers } = await converse(contender, taskFor(server), [second.prompt])
      expect(outcome).toMatchObject({ status: 'completed', report: { stopReason: 'max_tokens' } })
      expect(answers).toEqual([])
      expect(asked(server).map(({ rule }) => rule)).not.toContain('second')
    })
  })
}
