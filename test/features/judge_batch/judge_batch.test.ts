/** Judges in batches of the provider: one batch for all gradings, resumed by its id, paid once and at half the price. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { judgeBatches } from '../../../schemas/judge_batches.ts'
import { askEngine } from '../../../src/engines/ask/ask.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { anthropicBatches } from '../../../src/features/judge_batch/anthropic.ts'
import { openBatches } from '../../../src/features/judge_batch/judge_batch.ts'
import { openaiBatches } from '../../../src/features/judge_batch/openai.ts'
import type { PracticeServer } from '../../../src/features/practice/server.ts'
import type { FlowContext } from '../../../src/flows/flow_context.ts'
import { type JudgeBatch, openJudgeBatch } from '../../../src/flows/judge_batch.ts'
import { judgeAnswer } from '../../../src/phases/3-judge/judge/judge_answer.ts'
import { keysFor, practice } from '../../engines/stage.ts'
import { environment, temporary } from '../../phases/3-judge/scene.ts'

const verdicts = [{ n: 1, passed: true, evidence: '"42"' }]
const rules = `
models: [claude-haiku-4-5, gpt-5.4, practice-1]
rules:
  - { name: broken, when: { user: broken }, fault: { status: 400, message: not this one } }
  - { name: prose, when: { user: prose }, answer: { text: It passes. } }
  - { name: judge, answer: { tool_calls: { name: submit, input: { verdicts: [{ n: 1, passed: true, evidence: '"42"' }] } } } }
`
const judges = { anthropic: 'claude-haiku-4-5', openai: 'gpt-5.4' }
const apis = { anthropic: anthropicBatches, openai: openaiBatches }
const creates = { anthropic: '/v1/messages/batches', openai: '/v1/batches' }
const fast = { first: 1, most: 1 }
/** One look, and no second within the test. */
const slow = { first: 600_000, most: 600_000 }

interface Scene {
  name: keyof typeof judges
  server: PracticeServer
  folder: string
}

function open({ name, server, folder }: Scene, drain = new AbortController().signal, pollMs = fast) {
  const events: unknown[] = []
  const signal = new AbortController().signal
  const context: FlowContext = {
    emit: (event) => events.push(event),
    env: keysFor(server),
    drain,
    signal,
    now: () => new Date(),
  }
  const choice = { name, model: judges[name] }
  return openBatches(apis[name], { folder, choice, pollMs }, context).then((batch) => ({ batch, events }))
}

async function ask(
  { name, server }: Scene,
  prompt: string,
  judge: Pick<JudgeBatch, 'engine' | 'signal'>,
  whole = true,
) {
  return await askEngine({
    engine: judge.engine,
    task: {
      prompt,
      model: judges[name],
      command: null,
      cwd: await temporary(),
      env: environment,
      credentials: keysFor(server),
      skills: [],
      tools: 'read_only',
      toolsOptional: whole,
      maxTurns: 5,
      sandbox: null,
    },
    schema: judgeAnswer,
    context: { signal: judge.signal, emit: () => {}, stderrFile: null },
    limits: { baseMs: 1 },
  })
}

/** Each prompt is one grading. */
const askAll = (scene: Scene, batch: JudgeBatch, prompts: readonly string[]) =>
  Promise.all(prompts.map((prompt) => batch.track(() => ask(scene, prompt, batch))))

const count = ({ server }: Scene, where: string) =>
  server.requests.filter((one) => one.path === where && one.method === 'POST').length

describe.each(['anthropic', 'openai'] as const)('%s', (name) => {
  const scene = async (more = '') => ({ name, server: await practice(rules + more), folder: await temporary() })
  const stored = ({ folder }: Scene) => path.join(folder, 'judge_batches.json')

  test('all gradings are one batch, at half the price of a direct question; equal questions get answers of their own', async () => {
    const at = await scene()
    await using _ = at.server
    const { batch, events } = await open(at)
    const asked = await askAll(at, batch, ['one', 'two', 'two'])
    for (const one of asked)
      expect(one).toMatchObject({ status: 'answered', value: { verdicts }, spent: { calls: 1, batched: true } })
    expect(count(at, creates[name])).toBe(1)
    expect(events.at(-1)).toMatchObject({ type: 'judge_batch', done: 3, total: 3, ended: true })
    const direct = await ask(at, 'one', { engine: findEngine(name), signal: new AbortController().signal })
    const [first] = asked
    const share = (first?.spent.costUsd ?? 0) / (direct.spent.costUsd ?? 1)
    const tokens = (first?.spent.tokens ?? 0) / (direct.spent.tokens ?? 1)
    expect(share).toBeGreaterThan(0)
    expect(share).toBeLessThan(0.51)
    expect(tokens).toBeGreaterThan(0.3) // without the descriptions of tools
    await batch.finish()
    expect(existsSync(stored(at))).toBe(false)
  })

  test('a wait that is ended goes on with the same batch, and nothing is paid for twice', async () => {
    const at = await scene('batches: { polls: 1 }')
    await using _ = at.server
    const stop = new AbortController()
    const { batch } = await open(at, stop.signal, slow)
    const waiting = askAll(at, batch, ['one', 'two'])
    waiting.catch(() => {})
    await expect.poll(() => existsSync(stored(at))).toBe(true)
    stop.abort(new Error('Ctrl-C'))
    await expect(waiting).rejects.toThrow('Ctrl-C')
    expect(batch.isInterruption(stop.signal.reason)).toBe(true)
    const { batches } = judgeBatches.parse(JSON.parse(readFileSync(stored(at), 'utf8')))
    expect(batches).toMatchObject([
      { engine: name, items: [expect.stringMatching(/-1$/), expect.stringMatching(/-1$/)] },
    ])

    const { batch: again } = await open(at)
    const asked = await askAll(at, again, ['one', 'two', 'three'])
    expect(asked.map(({ status }) => status)).toEqual(['answered', 'answered', 'answered'])
    expect(count(at, creates[name])).toBe(2) // the second batch has only the third question
    await again.finish()
    expect(existsSync(stored(at))).toBe(false)
  })

  test('a batch that the server no longer has is submitted again', async () => {
    const gone = await scene('batches: { polls: 1000 }')
    const stop = new AbortController()
    const { batch } = await open(gone, stop.signal, slow)
    const waiting = askAll(gone, batch, ['one'])
    waiting.catch(() => {})
    await expect.poll(() => existsSync(stored(gone))).toBe(true)
    stop.abort(new Error('Ctrl-C'))
    await gone.server.close()
    const at = { ...(await scene()), folder: gone.folder }
    await using _ = at.server
    const { batch: again } = await open(at)
    expect(await askAll(at, again, ['one'])).toMatchObject([{ status: 'answered', spent: { calls: 2 } }])
  })

  test('an expired request is sent again, a refused one is an error, and a repair is a batch of its own', async () => {
    const at = await scene('batches: { expired: 1 }')
    await using _ = at.server
    const { batch } = await open(at)
    const asked = await askAll(at, batch, ['one', 'broken', 'prose'])
    expect(asked).toMatchObject([
      { status: 'answered', value: { verdicts } },
      { status: 'error', error: expect.stringMatching(/^bad_request: .*not this one/) },
      { status: 'error', error: expect.stringContaining('no JSON answer') },
    ])
    expect(count(at, creates[name])).toBe(2)
  })

  test('a run that is not all in the prompt is asked about directly', async () => {
    const at = await scene()
    await using _ = at.server
    const { batch } = await open(at)
    const asked = await batch.track(() => ask(at, 'one', batch, false))
    expect(asked).toMatchObject({ status: 'answered', value: { verdicts } })
    expect(asked.spent.batched).toBeUndefined()
    expect(count(at, creates[name])).toBe(0)
  })
})

test('a judge without a batch API is refused', async () => {
  const at = { name: 'anthropic' as const, server: await practice(rules), folder: await temporary() }
  await using _ = at.server
  const signal = new AbortController().signal
  const context = { emit: () => {}, env: {}, drain: signal, signal, now: () => new Date() }
  const choice = { name: 'codex', model: null }
  await expect(openJudgeBatch({ folder: at.folder, choice }, context)).rejects.toThrow(
    'the judge "codex" has no batch API',
  )
  const onCloud = { name: 'anthropic', model: 'bedrock:haiku' }
  await expect(openJudgeBatch({ folder: at.folder, choice: onCloud }, context)).rejects.toMatchObject({
    fix: 'use --judge anthropic[:model] or openai[:model], or drop --judge-batch',
  })
})
