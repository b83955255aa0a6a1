/** Which sandbox is used, said and recorded; what `required` does where none works. */
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { plan as planSchema } from '../../schemas/plan.ts'
import { runRecord } from '../../schemas/run.ts'
import { chooseSandbox, noSandboxWish, probeSandbox } from '../../src/base/sandbox/choose.ts'
import { runMain, tidyAgent } from '../cli/run_main.ts'
import { fresh, makeSkill } from '../e2e/program.ts'
import { practice } from '../engines/stage.ts'
import { needsSandbox } from './needs_sandbox.ts'

const cases = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]

interface More {
  skill?: string
  engine?: string
  env?: Record<string, string>
}

/** A benchmark of two runs. */
async function bench(flags: readonly string[], more: More = {}) {
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', more.skill ?? makeSkill(cases), '--engine', more.engine ?? tidyAgent, '--runs', '1']
  const end = await runMain([...args, '--workspace', workspace, ...flags], { env: more.env ?? {} })
  const made = () => path.join(workspace, 'benchmarks', readdirSync(path.join(workspace, 'benchmarks'))[0] ?? '')
  const read = (name: string) => JSON.parse(readFileSync(path.join(made(), name), 'utf8'))
  const slug = () => readdirSync(made()).find((name) => name.startsWith('eval-')) ?? ''
  return {
    end,
    workspace,
    plan: () => planSchema.parse(read('plan.json')),
    run: () => runRecord.parse(read(`${slug()}/with_skill/run-1/run.json`)),
  }
}

describe('where none works', () => {
  test('required starts nothing: exit 2, the reason and the fix', async () => {
    const { end, workspace } = await bench(['--sandbox', 'required'], { env: { PATH: fresh() } })
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/--sandbox required: bwrap is not on PATH/)
    expect(end.stderr).toMatch(/install bubblewrap/)
    expect(() => readdirSync(workspace)).toThrow('ENOENT')
  })
  test('auto goes on without, and says so', async () => {
    const choice = await chooseSandbox(noSandboxWish, fresh())
    expect(choice).toMatchObject({ mechanism: 'none', program: null, reason: 'bwrap is not on PATH' })
  })
})

test('off is off, said and recorded', async () => {
  const { end, plan, run } = await bench(['--sandbox', 'off'])
  expect(end.code, end.stderr).toBe(0)
  expect(end.stderr + end.stdout).toContain('sandbox: none (off: as asked); agents run as you')
  expect(plan().sandbox).toMatchObject({ mechanism: 'none' })
  expect(run().sandbox).toEqual({ mechanism: 'none', network: 'open' })
})

needsSandbox('where bubblewrap works', () => {
  test('auto uses it, says so and records it', async () => {
    const { end, plan, run } = await bench([])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr + end.stdout).toMatch(/^sandbox: bubblewrap \(.*\)$/m)
    expect(plan().sandbox).toMatchObject({ mechanism: 'bubblewrap' })
    expect(run()).toMatchObject({ status: 'completed', final_response: 'TIDY', sandbox: { network: 'none' } })
  })
  const suite = (sandbox: object) =>
    makeSkill(cases, { 'evals/evals.json': JSON.stringify({ skill_name: 'tidy', sandbox, evals: cases }) })
  test('a suite that asks for the network gets it with --network open, which is said', async () => {
    const { end, plan, run } = await bench(['--network', 'open'], { skill: suite({ network: 'open' }) })
    expect(end.stderr + end.stdout).toContain('network open, as asked')
    expect(plan().runs[0]?.sandbox).toEqual({ network: 'open' })
    expect(run().sandbox).toEqual({ mechanism: 'bubblewrap', network: 'open' })
  })
  test('--network none wins over the suite', async () => {
    const { run } = await bench(['--network', 'none'], { skill: suite({ network: 'open' }) })
    expect(run().sandbox).toEqual({ mechanism: 'bubblewrap', network: 'none' })
  })
  describe("the network that is recorded is the one that the agent's tools had", () => {
    test("a program with a key: its endpoint, also in a run that didn't end in time", async () => {
      const asks = `fetch(process.env.ANTHROPIC_BASE_URL, { headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY } })`
      await using model = await practice('rules: [{ name: a, text: TIDY }]')
      const script = path.join(fresh(), 'ask.mjs')
      writeFileSync(script, `${asks}.then(() => console.log('TIDY'))`)
      const env = { ANTHROPIC_API_KEY: 'practice', ANTHROPIC_BASE_URL: model.url }
      const { run } = await bench([], { engine: `command:node ${script}`, env })
      expect(run()).toMatchObject({ final_response: 'TIDY', sandbox: { network: 'endpoint' } })
      const late = await bench(['--timeout', '1'], { engine: 'command:sleep 60', env: { OPENAI_API_KEY: 'practice' } })
      expect(late.run()).toMatchObject({ status: 'timed_out', sandbox: { network: 'endpoint' } })
    })
    test('without one: none', async () => {
      const server = createServer((socket) => void socket.end('TIDY'))
      onTestFinished(() => void server.close())
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const { run } = await bench([], {
        engine: `command:bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3 || true'`,
      })
      expect(run()).toMatchObject({ final_response: '', sandbox: { network: 'none' } })
    })
    test('an engine that asks the model from outside: none', async () => {
      await using model = await practice('rules: [{ name: a, text: TIDY }]')
      const env = { ANTHROPIC_API_KEY: 'practice', ANTHROPIC_BASE_URL: model.url }
      const { run } = await bench([], { engine: 'anthropic:practice-1', env })
      expect(run()).toMatchObject({ final_response: 'TIDY', sandbox: { network: 'none' } })
    })
  })
  test('a mistake in what a suite asks is named', async () => {
    const { end } = await bench([], { skill: suite({ network: 'some', writable: ['relative'] }) })
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/\$\.sandbox\.network: .*\$\.sandbox\.writable\[0\]: must be an absolute path/s)
  })
})

needsSandbox('where nothing could be heard', () => {
  test('time that went to work of our own does not leave agents without a sandbox', async () => {
    const patienceMs = 3000
    const asked = probeSandbox(`${process.env.PATH}:/asked-anew`, patienceMs)
    const children = `/proc/${process.pid}/task/${process.pid}/children`
    while (readFileSync(children, 'utf8') === '') await sleep(1) // until it has been started
    await immediate() // from here the time that has gone is seen before the end of the program is
    const began = performance.now()
    while (performance.now() - began < patienceMs + 300) {} // nothing is heard of it
    expect(await asked).toMatchObject({ ok: true })
  })
})
