/** triggers through the real agent CLIs on practice models: what is found, and that the number of workers changes nothing. */
import { describe, expect, test } from 'vitest'
import { claudeBinary, cliBinary, needs } from '../../require.ts'
import { measuredAll, wholeMatrix } from './all_stage.ts'
import { type EngineName, type Model, measured, type Query, queries, whole } from './triggers_stage.ts'

/** Trigger rates of queries that should, and of those that should not. */
const expected: Record<Model, [number, number]> = {
  always: [1, 1],
  never: [0, 0],
  keyword: [1, 0],
  after_tools: [1, 1],
  by_path: [1, 1],
}

/** `runsOf`: of each query, with that model. */
function testEngine(engine: EngineName, runsOf: (model: Model) => number): void {
  describe.each(Object.entries(expected))('a model that uses it: %s', (name, [should, shouldNot]) => {
    const model = name as Model
    test('every query has the rate that the model has', async () => {
      const runs = runsOf(model)
      const args = ['--runs', String(runs), '--concurrency', '4']
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
      expect(made.summary).toMatchObject({ runs_planned: 4 * runs, runs_decided: 4 * runs, runs_failed: 0 })
    })
  })

  test('eight workers find what one finds', async () => {
    const rates = async (concurrency: number) => {
      const args = ['--runs', '1', '--concurrency', String(concurrency)]
      return whole(await measured({ engine, model: 'keyword', args })).results.map(({ trigger_rate }) => trigger_rate)
    }
    const alone = await rates(1)
    expect(alone).toEqual(queries.map(({ should_trigger }) => (should_trigger ? 1 : 0)))
    expect(await rates(8)).toEqual(alone)
  })
}

// a CLI starts slowly: how runs of a query are counted is no matter of the engine, and is seen with one model
const once = (model: Model) => (model === 'keyword' ? 2 : 1)
needs('the claude CLI', claudeBinary() !== null, 'npm run agents')('claude-code', () => testEngine('claude-code', once))

/** A model that goes by a keyword, on the other engines. */
function testKeyword(engine: EngineName, set: readonly Query[] = queries.slice(0, 4)): void {
  test('what should trigger does, and nothing else', async () => {
    const args = ['--runs', '1', '--concurrency', '2']
    const ran = await measured({ engine, model: 'keyword', set, args })
    expect(ran.end.code, ran.end.stderr).toBe(0)
    const { results, saving } = whole(ran)
    expect(results.map(({ trigger_rate }) => trigger_rate)).toEqual(set.map((one) => (one.should_trigger ? 1 : 0)))
    expect(saving).toMatchObject({ stopped: set.length / 2, of: set.length })
  })
}

needs('the codex CLI', cliBinary('codex') !== null, 'npm run agents')('codex', () => testKeyword('codex'))
// its start takes seconds of CPU: one of each kind
const two = queries.slice(0, 2)
needs(
  'the opencode CLI',
  cliBinary('opencode') !== null,
  'npm run agents',
)('opencode', () => testKeyword('opencode', two))

needs(
  'the claude CLI',
  claudeBinary() !== null,
  'npm run agents',
)('claude-code, of four skills', () => {
  test('names the thief, through the Skill tool of the real CLI', async () => {
    const ran = await measuredAll({ engine: 'claude-code', args: ['--concurrency', '2'] })
    expect(ran.end.code, ran.end.stderr).toBe(0)
    const made = wholeMatrix(ran)
    expect(made.pairs).toMatchObject([{ skill: 'invoices', taken_by: 'pdf-forms', reads: 6, runs: 10, named: true }])
    expect(made.summary).toMatchObject({ runs_planned: 25, runs_decided: 25 })
  })
})
