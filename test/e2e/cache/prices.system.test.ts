/** --prices and --effort of a whole bench: costs, budget and report are by the file; the level is recorded and part of the key. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { readPlan, readRun } from '../../../src/store/store.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const scenario = `
rules:
  - { name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: true, evidence: done }] } }] }
  - { name: agent, text: done TIDY }
`
const at: { server?: Awaited<ReturnType<typeof startPractice>> } = {}
beforeAll(async () => {
  at.server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
})
afterAll(() => at.server?.close())

function setUp() {
  const skill = makeSkill([{ id: 1, prompt: 'task', expectations: ['It is done.'] }])
  const workspace = path.join(fresh(), 'ws')
  const file = path.join(fresh(), 'own-prices.yaml')
  writeFileSync(file, 'anthropic:practice-1: { input: 10, output: 100 }\n')
  const bench = async (...flags: string[]) => {
    const before = at.server?.requests.length ?? 0
    const start = ['bench', skill, '--engine', 'anthropic:practice-1', '--runs', '1', '--workspace', workspace]
    const env = { ANTHROPIC_BASE_URL: at.server?.url ?? '', ANTHROPIC_API_KEY: 'practice' }
    const end = await runMain([...start, ...flags], { env })
    return { ...end, requests: at.server?.requests.slice(before).filter(({ rule }) => rule !== null) ?? [] }
  }
  const newest = () => {
    const folder = path.join(workspace, 'benchmarks')
    return path.join(folder, readdirSync(folder).sort().at(-1) ?? '')
  }
  return { skill, file, bench, newest }
}

describe('--prices', () => {
  test('a budget that is refused without the file is kept with it, and the report names the file', async () => {
    const { file, bench, newest } = setUp()
    const refused = await bench('--budget', '2')
    expect(refused).toMatchObject({ code: 2, requests: [] })
    expect(refused.stderr).toContain('--prices')
    expect(await bench('--budget', '2', '--prices', file)).toMatchObject({ code: 0 })
    const folder = newest()
    const result = benchmark.parse(JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')))
    expect(result.cost).toMatchObject({ unknown_runs: 0, prices: ['own-prices.yaml'] })
    expect(result.cost?.judge_usd).toBeGreaterThan(0)
    const plan = await readPlan(folder)
    const stored = await readRun(folder, plan.runs[0]?.run_id ?? '')
    const { usage, cost } = stored?.record ?? {}
    const usd = (10 * (usage?.input_tokens ?? 0) + 100 * (usage?.output_tokens ?? 0)) / 1e6
    expect(cost).toMatchObject({ source: 'prices', prices: 'own-prices.yaml' })
    expect(cost?.usd).toBeCloseTo(usd, 9)
    expect(stored?.grading?.judge?.prices).toBe('own-prices.yaml')
    expect(readFileSync(path.join(folder, 'benchmark.md'), 'utf8')).toContain('by the prices of own-prices.yaml')
  })

  test('the file is not part of the key: the same bench is not run again', async () => {
    const { file, bench } = setUp()
    expect((await bench()).requests.length).toBeGreaterThan(0)
    expect(await bench('--prices', file)).toMatchObject({ code: 0, requests: [] })
  })

  test('a configuration file may name it, relative to itself; one that comes with the skill may not', async () => {
    const { skill, file, bench } = setUp()
    writeFileSync(
      path.join(path.dirname(skill), 'whetstone.config.yaml'),
      `prices: ${path.relative(path.dirname(skill), file)}\n`,
    )
    expect(await bench('--budget', '2', '--dry-run')).toMatchObject({ code: 0 })
    writeFileSync(path.join(skill, 'whetstone.config.yaml'), `prices: ${file}\n`)
    const refused = await bench('--budget', '2', '--dry-run')
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('prices: not allowed in a configuration file that comes with the skill')
  })

  test('a mistake in the file is named before anything is asked', async () => {
    const { file, bench } = setUp()
    writeFileSync(file, 'anthropic:practice-1: { input: 10 }\n')
    const refused = await bench('--prices', file)
    expect(refused).toMatchObject({ code: 2, requests: [] })
    expect(refused.stderr).toContain(`${file}:1:1: anthropic:practice-1 output: expected a number`)
  })
})

describe('--effort', () => {
  test('reaches agent and judge, is recorded, and another level is another run', async () => {
    const { bench, newest } = setUp()
    const first = await bench('--effort', 'low', '--judge-effort', 'high')
    expect(first.code).toBe(0)
    const efforts = (rule: string) => first.requests.filter((one) => one.rule === rule).map(({ effort }) => effort)
    expect(new Set(efforts('agent'))).toEqual(new Set(['low']))
    expect(new Set(efforts('judge'))).toEqual(new Set(['high']))
    const plan = await readPlan(newest())
    expect(plan.options).toMatchObject({ engine: { effort: 'low' }, judge: { effort: 'high' } })
    const stored = await readRun(newest(), plan.runs[0]?.run_id ?? '')
    expect(stored?.record.engine.effort).toBe('low')
    expect(await bench('--effort', 'low', '--judge-effort', 'high')).toMatchObject({ requests: [] })
    const again = await bench('--effort', 'low', '--judge-effort', 'max')
    expect(new Set(again.requests.map(({ rule }) => rule))).toEqual(new Set(['judge']))
    const other = await bench('--effort', 'max', '--judge-effort', 'max')
    expect(other.requests.filter(({ rule }) => rule === 'agent').length).toBeGreaterThan(0)
  })

  test.each([
    [['--effort', 'hihg'], '--effort: anthropic:practice-1 has no level "hihg"'],
    [['--judge-effort', 'ultra'], '--judge-effort: anthropic:practice-1 has no level "ultra"'],
    [['--model', 'anthropic:practice-1', '--judge', 'anthropic:opuss'], 'unknown model "opuss" of anthropic'],
  ])('%s is refused before anything is asked', async (flags, message) => {
    const refused = await setUp().bench(...flags)
    expect(refused).toMatchObject({ code: 2, requests: [] })
    expect(refused.stderr).toContain(message)
  })
})
