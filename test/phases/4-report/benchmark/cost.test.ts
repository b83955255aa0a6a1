/** What a benchmark cost: what was reused and what was graded again stand apart; unknown is null, never 0. */
import { expect, test } from 'vitest'
import { toAskedJudge } from '../../../../src/engines/ask/cost_meter.ts'
import { buildStop, noLimits } from '../../../../src/flows/limits/limits.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { summarizeOtherAttempts } from '../../../../src/phases/4-report/notes/rules/attempts.ts'
import { arm, inputOf, type Line, resultOf } from '../fixture.ts'

const from = { benchmark: '2026-01-01T00-00-00Z', at: '2026-01-01T00:00:00.000Z' }
const judge = (cost_usd: number | null, more: object = {}) => ({
  judge: { engine: 'anthropic', model: 'm', calls: 1, tokens: 1, cost_usd, ...more },
})

test('the judge of what was reused is told apart', () => {
  const made = arm(1, 'with_skill', ['+', '+'], { grading: judge(0.5) })
  const reused = arm(1, 'without_skill', ['+', '+'], {
    record: { cached_from: from },
    grading: judge(0.25, { cached_from: from }),
  })
  const { cost, reused: apart } = aggregate(inputOf([...made, ...reused]))
  expect(cost?.judge_usd).toBe(1.5)
  expect(apart).toMatchObject({ runs: 2, judge_usd: 0.5 })
  expect(aggregate(inputOf(made)).reused).toBeUndefined()
})

test.each<[string, (number | null)[], number | null]>([
  ['known', [0.5, 0.25], 0.75],
  ['known of none', [null, null], null],
])('gradings again: %s', (_, costs, again_usd) => {
  const [line] = arm(1, 'with_skill', ['+'], { grading: judge(1) })
  const again = costs.flatMap((usd) => resultOf({ ...(line as Line), grading: judge(usd) }).grading ?? [])
  const input = inputOf(line === undefined ? [] : [line])
  const results = new Map([...input.results].map(([id, result]) => [id, { ...result, again }]))
  const { cost } = aggregate({ ...input, results })
  expect(cost).toMatchObject({ judge_usd: 1, again_usd })
  expect(aggregate(input).cost).not.toHaveProperty('again_usd')
})

test('sums of dollars are written without the noise of binary fractions', () => {
  const noisy = 0.1 + 0.2
  expect(noisy).not.toBe(0.3)
  const cost = { usd: noisy, source: 'estimated' }
  const { runs } = aggregate(inputOf(arm(1, 'with_skill', ['+'], { record: { cost } })))
  expect(runs.map(({ result }) => result.cost_usd)).toEqual([0.3])
  const line = {
    run_id: 'r',
    job: 'j',
    attempt: 1,
    worker: 'w',
    started_at: '2026-01-01T00:00:00Z',
    status: null,
    tokens: 1,
  }
  expect(summarizeOtherAttempts([0.1, 0.2].map((usd) => ({ ...line, usd })))?.usd).toBe(0.3)
  const limits = { ...noLimits, budget: 1 }
  expect(buildStop({ kind: 'budget', spent: noisy, limits, runs: { done: 1, planned: 2 } }).spent).toBe(0.3)
  const spent = { calls: 2, tokens: null, costUsd: noisy, model: 'm' }
  expect(toAskedJudge({ name: 'anthropic', model: 'm' }, spent).cost_usd).toBe(0.3)
})
