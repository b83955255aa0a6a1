/** What --judge-batch says and counts before it pays. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { EstimatedPlan } from '../../../src/flows/bench/plan_with_estimate.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const scenario = `
rules:
  - { name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: true, evidence: '"done"' }] } }] }
  - { name: agent, text: done TIDY }
`
const at: { server?: Awaited<ReturnType<typeof startPractice>> } = {}
beforeAll(async () => {
  at.server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
})
afterAll(() => at.server?.close())

const expectations = ['It is done.']
const cases = [
  { id: 1, prompt: 'task', expectations },
  { id: 2, prompt: 'another task', files: ['evals/files/notes.txt'], expectations },
]

/** A workspace with one benchmark, graded directly: agents cost almost nothing, a grading costs much. */
async function setUp(evals: readonly object[]) {
  const skill = makeSkill(evals, { 'evals/files/notes.txt': 'notes' })
  const workspace = path.join(fresh(), 'ws')
  const prices = path.join(fresh(), 'prices.yaml')
  writeFileSync(
    prices,
    'anthropic:practice-1: { input: 0.0001, output: 0.0001 }\nanthropic:practice-2: { input: 1000, output: 1000 }\n',
  )
  const env = { ANTHROPIC_BASE_URL: at.server?.url ?? '', ANTHROPIC_API_KEY: 'practice' }
  const models = ['--engine', 'anthropic:practice-1', '--judge', 'anthropic:practice-2']
  const start = ['bench', skill, ...models, '--runs', '1', '--sandbox', 'off']
  const bench = (...flags: string[]) => {
    return runMain([...start, '--workspace', workspace, '--prices', prices, ...flags], { env })
  }
  expect(await bench()).toMatchObject({ code: 0 })
  /** The next benchmark, in which nothing is reused. */
  const foresee = async (...flags: string[]): Promise<EstimatedPlan['estimate']> => {
    const { stdout } = await bench('--fresh', '--no-cache', '--dry-run', '--json', ...flags)
    return JSON.parse(stdout).estimate
  }
  return { bench, foresee }
}

test('--dry-run counts half the price for gradings in a batch, and says how many are not in it', async () => {
  const { bench, foresee } = await setUp(cases)
  const direct = await foresee()
  const batched = await foresee('--judge-batch')
  expect(direct).toMatchObject({ judge: { gradings: 4 } })
  expect(direct).not.toHaveProperty('batched_gradings')
  expect(batched).toMatchObject({ judge: { gradings: 4 }, batched_gradings: 2 })
  const share = (batched.judge.usd ?? 0) / (direct.judge.usd ?? 1)
  expect(share).toBeGreaterThan(0.7) // half of the gradings at half the price
  expect(share).toBeLessThan(0.8)
  const { stdout } = await bench('--fresh', '--no-cache', '--dry-run', '--judge-batch')
  expect(stdout).toContain('2 of 4 gradings in a batch at half the price, 2 directly: a case has input files')
})

test('--budget counts half the price', async () => {
  const { bench, foresee } = await setUp(cases.slice(0, 1))
  const { usd } = await foresee()
  expect((await foresee('--judge-batch')).usd).toBeCloseTo((usd ?? 0) / 2, 3)
  // the first run and its grading: half of the whole, or a quarter in a batch
  const flags = ['--fresh', '--no-cache', '--dry-run', '--budget', String(0.35 * (usd ?? 0))]
  const refused = await bench(...flags)
  expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('budget')])
  expect(await bench(...flags, '--judge-batch')).toMatchObject({ code: 0 })
})
