/** Failures of infrastructure are retried, then recorded and counted apart; they are never a grade. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

const evals = [{ id: 1, prompt: 'say it', checks: [{ type: 'contains', value: 'TIDY' }] }]

async function benchedOn(engine: string, scenario: string, flags: string[]) {
  await using server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', makeSkill(evals), '--engine', `${engine}:practice-1`, '--workspace', workspace]
  const keys = { ANTHROPIC_API_KEY: 'practice', OPENAI_API_KEY: 'practice' }
  const env = { ...keys, ANTHROPIC_BASE_URL: server.url, OPENAI_BASE_URL: `${server.url}/v1` }
  const end = await whetstone([...args, '--retries', '1', '--json', ...flags], { env })
  const events = end.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const benchmarks = path.join(workspace, 'benchmarks')
  const folder = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  const result = benchmark.parse(JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')))
  const gradings = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('grading.json'),
  )
  return { ...end, events, result, gradings }
}

const says = "rules: [{ name: says, text: 'TIDY' }]"

describe.each(['anthropic', 'openai'])('%s', (engine) => {
  const benched = (scenario: string, flags = ['--runs', '1']) => benchedOn(engine, scenario, flags)

  describe('a failure that passes', () => {
    test.each([
      ['529', '{ status: 529, first: 1 }', 'overloaded'],
      ['500', '{ status: 500, first: 1 }', 'server_error'],
    ])('%s is retried and the run is graded', async (_what, fault, kind) => {
      const end = await benched(`faults: [${fault}]\n${says}`)
      expect(end.code, end.stderr).toBe(0)
      expect(end.events.filter((event) => event.type === 'run_retried')).toMatchObject([{ attempt: 1, kind }])
      expect(end.result.counts).toMatchObject({ planned: 2, used: 2, excluded: {} })
    })
  })

  describe('a failure that stays', () => {
    test.each([
      ['529', '{ status: 529 }', 'failed:overloaded'],
      ['500', '{ status: 500 }', 'failed:server_error'],
      ['a cut stream', '{ cut: 3 }', 'failed:'],
      ['a malformed answer', '{ malformed: true }', 'failed:'],
    ])('%s is counted apart, exit 3, no grade', async (_what, fault, counted) => {
      const end = await benched(`faults: [${fault}]\n${says}`)
      expect(end.code, end.stderr).toBe(3)
      expect(end.gradings).toEqual([])
      expect(Object.entries(end.result.counts?.excluded ?? {})).toEqual([[expect.stringContaining(counted), 2]])
      expect(end.result.run_summary).toEqual({})
    })
    test('a key refused in the middle ends the rest at once', async () => {
      const end = await benched(`faults: [{ status: 401, after: 1 }]\n${says}`, ['--runs', '4', '--concurrency', '1'])
      expect(end.code).toBe(3)
      expect(end.result.counts).toMatchObject({
        planned: 8,
        used: 1,
        excluded: { 'failed:credentials': 1, missing: 6 },
      })
    })
  })

  describe('a server that hangs', () => {
    const limited = ['--runs', '1', '--timeout', '1']
    const hang = `faults: [{ hang: true }]\n${says}`
    test('from the start is no grade, and is asked again', async () => {
      const end = await benched(hang, limited)
      expect(end.code, end.stderr).toBe(3)
      expect(end.gradings).toEqual([])
      expect(end.result.counts).toMatchObject({ used: 0, excluded: { 'failed:server_error': 2 } })
      expect(end.events.filter((event) => event.type === 'run_retried')).toHaveLength(2)
      expect(end.stderr + JSON.stringify(end.events)).toContain(
        'the model had not answered within 1 s, the time limit of the case',
      )
    })
    describe('once it has answered', () => {
      const works =
        "rules: [{ name: works, text: 'TIDY', tool_calls: { name: [bash, Bash], input: { command: 'true' } } }]"
      const later = `faults: [{ hang: true, after: 1 }]\n${works}`
      const one = [...limited, '--concurrency', '1']
      test('is a time-out of the agent: every expectation fails, saying so', async () => {
        const end = await benched(later, one)
        const timedOut = { passed: false, decided_by: 'timeout', evidence: 'The run timed out after 1 s' }
        expect(end.result.runs.map((run) => run.expectations[0])).toEqual([expect.objectContaining(timedOut)])
        expect(end.result.counts).toMatchObject({ used: 1, excluded: { 'failed:server_error': 1 } })
      })
      test('is left out where the user says so', async () => {
        const end = await benched(later, [...one, '--on-timeout', 'exclude'])
        expect(end.result).toMatchObject({ counts: { used: 0, excluded: { timed_out: 1, 'failed:server_error': 1 } } })
        expect(end.code).toBe(3)
      })
    })
  })
})
