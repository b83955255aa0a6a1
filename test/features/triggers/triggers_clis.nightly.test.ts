/** triggers through the real agent CLIs on practice models: what is found, and that the number of workers changes nothing. */
import { expect, test } from 'vitest'
import { claudeBinary, cliBinary, needs } from '../../require.ts'
import { measuredAll, wholeMatrix } from './all_stage.ts'
import { type EngineName, measured, type Query, queries, whole } from './triggers_stage.ts'

/** A model that goes by a keyword. */
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

needs(
  'the claude CLI',
  claudeBinary() !== null,
  'npm run agents',
)('claude-code', () => {
  testKeyword('claude-code')
  test('a skill that is read by its path, and one after other tools, count as used; workers change nothing', async () => {
    for (const model of ['by_path', 'after_tools'] as const) {
      const ran = await measured({ engine: 'claude-code', model, set: queries.slice(0, 2), args: ['--runs', '1'] })
      expect(whole(ran).results.map(({ trigger_rate }) => trigger_rate)).toEqual([1, 1])
    }
    const args = ['--runs', '2', '--concurrency', '8']
    const { results, summary } = whole(await measured({ engine: 'claude-code', model: 'keyword', args }))
    expect(results.map(({ trigger_rate }) => trigger_rate)).toEqual(queries.map((one) => (one.should_trigger ? 1 : 0)))
    expect(summary).toMatchObject({ runs_planned: 20, runs_decided: 20, runs_failed: 0 })
  })
})
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
