/** Which sandbox is used, said and recorded; what `required` does where none works. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { plan as planSchema } from '../../schemas/plan.ts'
import { runRecord } from '../../schemas/run.ts'
import { chooseSandbox, noWish, probeSandbox } from '../../src/base/sandbox/choose.ts'
import { agent, fresh, makeSkill, whetstone } from '../e2e/program.ts'
import { needs } from '../require.ts'

const works = (await probeSandbox(process.env.PATH ?? '')).ok
const cases = [{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }]

/** A benchmark of two runs. */
async function bench(flags: readonly string[], more: { skill?: string; env?: Record<string, string> } = {}) {
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', more.skill ?? makeSkill(cases), '--engine', agent('tidy.mjs'), '--runs', '1']
  const end = await whetstone([...args, '--workspace', workspace, ...flags], { env: more.env ?? {} })
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
    const choice = await chooseSandbox(noWish, fresh())
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

needs(
  'bubblewrap that works',
  works,
  'apt-get install bubblewrap',
)('where bubblewrap works', () => {
  test('auto uses it, says so and records it', async () => {
    const { end, plan, run } = await bench([])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stderr + end.stdout).toMatch(/^sandbox: bubblewrap \(.*\)$/m)
    expect(plan().sandbox).toMatchObject({ mechanism: 'bubblewrap' })
    expect(run()).toMatchObject({ status: 'completed', final_response: 'TIDY', sandbox: { network: 'none' } })
  })
  const suite = (sandbox: object) =>
    makeSkill(cases, { 'evals/evals.json': JSON.stringify({ skill_name: 'tidy', sandbox, evals: cases }) })
  test('a suite that asks for the network gets it, which is said', async () => {
    const { end, plan, run } = await bench([], { skill: suite({ network: 'open' }) })
    expect(end.stderr + end.stdout).toContain('network open, as the suite asks')
    expect(plan().runs[0]?.sandbox).toEqual({ network: 'open' })
    expect(run().sandbox).toEqual({ mechanism: 'bubblewrap', network: 'open' })
  })
  test('--network none wins over the suite', async () => {
    const { run } = await bench(['--network', 'none'], { skill: suite({ network: 'open' }) })
    expect(run().sandbox).toEqual({ mechanism: 'bubblewrap', network: 'none' })
  })
  test('a mistake in what a suite asks is named', async () => {
    const { end } = await bench([], { skill: suite({ network: 'some', writable: ['relative'] }) })
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/\$\.sandbox\.network: .*\$\.sandbox\.writable\[0\]: must be an absolute path/s)
  })
})

needs(
  'a bubblewrap that works',
  works,
  'apt-get install bubblewrap',
)('where nothing could be heard', () => {
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
