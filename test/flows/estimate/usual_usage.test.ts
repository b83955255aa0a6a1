/** What a plan usually costs, before any run: it follows the prompts, the engine and the prices; nothing is made up for a command. */
import { expect, test } from 'vitest'
import type { Plan } from '../../../schemas/plan.ts'
import { addUsualUsage } from '../../../src/flows/estimate/usual_usage.ts'
import { RunStats } from '../../../src/flows/history/forecast.ts'
import { specOf } from '../../fixtures/run_spec.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'

async function usual(
  engine: { name: string; model: string | null },
  prompt = 'Add up the sales',
  costPerRun: number | null = null,
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
    prices: undefined,
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
  expect(await usual(command, 'Add up', 0.1)).toMatchObject({ usd: 0.1, tokens: null })
})
