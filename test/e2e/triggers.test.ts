/** triggers through real engines on practice models: what is found, and that the number of workers changes nothing. */
import { describe, expect, test } from 'vitest'
import { claudeBinary, cliBinary, needs } from '../require.ts'
import { type EngineName, type Model, measured, queries, whole } from './triggers_stage.ts'

const patience = 240_000

/** Trigger rates of queries that should, and of those that should not. */
const expected: Record<Model, [number, number]> = {
  always: [1, 1],
  never: [0, 0],
  keyword: [1, 0],
  after_tools: [1, 1],
  by_path: [1, 1],
}

function testEngine(engine: EngineName): void {
  describe.each(Object.entries(expected))('a model that uses it: %s', (name, [should, shouldNot]) => {
    const model = name as Model
    test('every query has the rate that the model has', { timeout: patience }, async () => {
      const args = ['--runs', '2', '--concurrency', '4']
      const ran = await measured({ engine, model, set: queries.slice(0, 4), args })
      const made = whole(ran)
      expect(ran.end.code, ran.end.stderr).toBe(0)
      const rates = made.results.map(({ trigger_rate, should_trigger }) => [should_trigger, trigger_rate])
      expect(rates).toEqual([
        [true, should],
        [false, shouldNot],
        [true, should],
        [false, shouldNot],
      ])
      expect(made.summary).toMatchObject({ runs_planned: 8, runs_decided: 8, runs_failed: 0 })
    })
  })

  test('eight workers find what one finds', { timeout: patience }, async () => {
    const rates = async (concurrency: number) => {
      const args = ['--runs', '1', '--concurrency', String(concurrency)]
      return whole(await measured({ engine, model: 'keyword', args })).results.map(({ trigger_rate }) => trigger_rate)
    }
    const alone = await rates(1)
    expect(alone).toEqual(queries.map(({ should_trigger }) => (should_trigger ? 1 : 0)))
    expect(await rates(8)).toEqual(alone)
  })
}

describe('anthropic', () => testEngine('anthropic'))

needs('the claude CLI', claudeBinary() !== null, 'npm run agents')('claude-code', () => testEngine('claude-code'))

/** A model that goes by a keyword, on the other engines. */
function testKeyword(engine: EngineName): void {
  test('what should trigger does, and nothing else', { timeout: patience }, async () => {
    const args = ['--runs', '1', '--concurrency', '2']
    const ran = await measured({ engine, model: 'keyword', set: queries.slice(0, 4), args })
    expect(ran.end.code, ran.end.stderr).toBe(0)
    const { results, saving } = whole(ran)
    expect(results.map(({ trigger_rate }) => trigger_rate)).toEqual([1, 0, 1, 0])
    expect(saving).toMatchObject({ stopped: 2, of: 4 })
  })
}

describe('openai', () => testKeyword('openai'))
needs('the codex CLI', cliBinary('codex') !== null, 'npm run agents')('codex', () => testKeyword('codex'))
needs('the opencode CLI', cliBinary('opencode') !== null, 'npm run agents')('opencode', () => testKeyword('opencode'))
