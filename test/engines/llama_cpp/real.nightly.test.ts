/** llama.cpp's own server with the smallest model: its wires, its own count of tokens, and a server that is killed, full or left. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runRecord } from '../../../schemas/run.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../../e2e/program.ts'
import { needs } from '../../require.ts'
import { keysFor, openStage, perform } from '../stage.ts'
import { playScene, type RecordedScene, recordingFile, recordServer, scenes } from './exchanges.ts'
import { isInstalled, model, type RealServer, startRealServer } from './real_server.ts'

needs(
  'llama.cpp and SmolLM2',
  isInstalled,
  'npm run local-models -- smollm2-135m',
)('llama.cpp with SmolLM2', () => {
  let server: RealServer
  beforeAll(async () => {
    server = await startRealServer()
  })
  afterAll(() => server?.kill())

  const ask = async (place: string) => (await fetch(`${server.url}${place}`)).text()
  const countTokens = async () => {
    const text = await ask('/metrics')
    const read = (name: string) => Number(new RegExp(`^llamacpp:${name} (\\S+)$`, 'm').exec(text)?.[1])
    return { input: read('prompt_tokens_total'), output: read('tokens_predicted_total') }
  }

  const recorded: Record<string, RecordedScene> = {}
  test.each(Object.entries(scenes))(
    '%s: an end with a class, and tokens as the server counts them',
    async (name, scene) => {
      const before = await countTokens()
      await using proxy = await recordServer(server.url, scene.lacks)
      const outcome = await playScene(scene, proxy.url, model)
      const after = await countTokens()
      recorded[name] = { exchanges: proxy.exchanges, outcome }
      if (name === 'a prompt above the context') {
        expect(outcome).toMatchObject({ status: 'failed', error: { kind: 'bad_request', retryable: false } })
        return
      }
      expect(outcome).toMatchObject({ status: 'completed', error: null })
      expect({ input: outcome.usage?.input_tokens, output: outcome.usage?.output_tokens }).toEqual({
        input: after.input - before.input,
        output: after.output - before.output,
      })
    },
  )
  test('the recording can be renewed', async () => {
    if (process.env.WHETSTONE_RECORD !== 'write') return
    const { build_info } = JSON.parse(await ask('/props'))
    const date = new Date().toISOString().slice(0, 10)
    const whole = { server: `llama.cpp ${build_info}`, model, date, scenes: recorded }
    writeFileSync(recordingFile, `${JSON.stringify(whole, null, 1)}\n`)
  })

  test('a request that is cut off leaves no slot busy', async () => {
    await using stage = await openStage()
    const leaves = new AbortController()
    const task = stage.task({ prompt: 'Count to a thousand.', tools: 'none', model, credentials: keysFor(server) })
    const run = perform(findEngine('openai'), task, { signal: leaves.signal })
    await expect.poll(async () => JSON.parse(await ask('/slots')).some(isBusy)).toBe(true)
    leaves.abort(new Error('left'))
    await expect(run).rejects.toThrow('left')
    await expect.poll(async () => JSON.parse(await ask('/slots')).some(isBusy)).toBe(false)
  })

  test('a server that is killed and started again: no run is lost, and none is graded without an answer', async () => {
    const cases = Array.from({ length: 10 }, (_, at) => ({
      id: at + 1,
      prompt: `Write a sentence about the number ${at}.`,
      checks: [{ type: 'regex', pattern: '.' }],
    }))
    const workspace = path.join(fresh(), 'ws')
    const flags = ['--engine', `openai:${model}`, '--activation', 'answer', '--runs', '1', '--workspace', workspace]
    const started = (await countTokens()).output
    const ended = runMain(['bench', makeSkill(cases), ...flags, '--retries', '5'], { env: keysFor(server) })
    // a bench in this process loads its code first
    await expect.poll(async () => (await countTokens()).output - started, { timeout: 300_000 }).toBeGreaterThan(100)
    await server.kill()
    server = await startRealServer(server.port)
    expect(await ended).toMatchObject({ code: 0 })
    const [name = ''] = readdirSync(path.join(workspace, 'benchmarks'))
    const folder = path.join(workspace, 'benchmarks', name)
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((one) => one.endsWith('/run.json'))
    const records = files.map((file) => runRecord.parse(JSON.parse(readFileSync(path.join(folder, file), 'utf8'))))
    expect(records).toHaveLength(20)
    for (const { status, final_response } of records) {
      expect(status).toBe('completed')
      expect(final_response).not.toBe('')
    }
  })
})

const isBusy = (slot: { is_processing: boolean }) => slot.is_processing
