/** What a plan usually costs, before any run: it follows the prompts, the engine and the prices; nothing is made up for a command. */
import { expect, test } from 'vitest'
import type { Plan } from '../../../schemas/plan.ts'
import type { UserPrices } from '../../../schemas/prices.ts'
import { addUsualUsage } from '../../../src/flows/estimate/usual_usage.ts'
import { RunStats } from '../../../src/flows/history/forecast.ts'
import { record } from '../../fixtures/record.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'

async function usual(
  engine: { name: string; model: string | null },
  prompt = 'Add up the sales',
  { costPerRun = null, prices }: { costPerRun?: number | null; prices?: UserPrices } = {},
) {
  const spec = specOf({ prompt })
  const judge = { name: 'anthropic', model: 'claude-haiku-4-5' }
  const cases = [
    suiteCase({
      eval_id: spec.eval_id,
      expectations: [{ text: 'The total is right' }, { text: 'Every region is named' }],
    }),
  ]
  const stats = new RunStats()
  await addUsualUsage(stats, { runs: [spec], cases, options: { engine, judge } } as unknown as Plan, {
    costPerRun,
    prices,
  })
  return {
    usd: stats.mean('run', 'usd'),
    tokens: stats.mean('run', 'tokens'),
    judge: stats.mean('grading', 'usd'),
    runs: stats.runs,
  }
}
const sonnet = { name: 'anthropic', model: 'claude-sonnet-4-5' }

test('a run of an SDK engine costs cents, of an agent CLI more, and earlier runs are none', async () => {
  const [sdk, cli] = [await usual(sonnet), await usual({ name: 'claude-code', model: 'claude-sonnet-4-5' })]
  expect(sdk.usd).toBeGreaterThan(0.005)
  expect(sdk.usd).toBeLessThan(0.2)
  expect(cli.usd).toBeGreaterThan(1.5 * (sdk.usd ?? 1))
  expect(sdk.judge).toBeGreaterThan(0.001)
  expect(sdk.runs).toBe(0)
})

test('a long prompt and a dear model cost more', async () => {
  const [short, long] = [await usual(sonnet), await usual(sonnet, 'x'.repeat(400_000))]
  expect(long.tokens).toBeGreaterThan((short.tokens ?? 0) + 100_000)
  expect((await usual({ name: 'anthropic', model: 'claude-haiku-4-5' })).usd).toBeLessThan(short.usd ?? 0)
})

test('control: of a command nothing is known, unless --cost-per-run says it', async () => {
  const command = { name: 'command', model: null }
  expect(await usual(command)).toMatchObject({ usd: null, tokens: null })
  expect(await usual(command, 'Add up', { costPerRun: 0.1 })).toMatchObject({ usd: 0.1, tokens: null })
})

test('runs from the cache are no further runs', () => {
  const stats = new RunStats()
  const stored = { record: record({}), grading: null } as never
  const copied = {
    record: record({ cached_from: { benchmark: 'old', at: '2026-01-15T10:30:00.000Z' } }),
    grading: null,
  } as never
  stats.addStored(specOf(), stored)
  stats.addStored(specOf(), copied)
  expect(stats.runs).toBe(1)
})

test('an engine or model without a list price has no cost, unless the user has one; a known price is not replaced', async () => {
  for (const engine of [
    { name: 'qwen', model: null },
    { name: 'openai', model: 'llama3.3' },
  ]) {
    const found = await usual(engine)
    expect(found.usd).toBeNull()
    expect(found.tokens).toBeGreaterThan(1000)
  }
  const prices = { file: 'prices.yaml', table: { 'openai:llama3.3': { input: 1, output: 1 } } }
  expect((await usual({ name: 'openai', model: 'llama3.3' }, 'Add up', { prices })).usd).toBeGreaterThan(0.001)
  expect((await usual(sonnet, 'Add up', { costPerRun: 9 })).usd).toBeLessThan(1)
})
