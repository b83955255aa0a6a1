/** docs/how-to/worth-its-price.md on the practice model: the verdict with a price, its gates, a matrix, and what is refused. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { benchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { runMain } from '../../cli/run_main.ts'
import { practice } from '../../engines/stage.ts'
import { fresh } from '../program.ts'
import { newestIn } from './benched.ts'

const root = path.join(import.meta.dirname, '../../..')
const page = readFileSync(path.join(root, 'docs/how-to/worth-its-price.md'), 'utf8')
const [prices = '', rule = ''] = [...page.matchAll(/^```yaml\n([\s\S]*?)^```/gm)].map(([, block]) => block)
const own = readFileSync(path.join(root, 'workspaces/example/practice.yaml'), 'utf8')
const scenario = own
  .replace('models: [practice-1]', 'models: [practice-1, practice-mini]')
  .replace('  - name: reads the skill\n', `${rule.replaceAll(/^(?=.)/gm, '  ')}  - name: reads the skill\n`)

const home = fresh()
const skill = path.join(home, 'invoice-totals')
cpSync(path.join(root, 'workspaces/example/invoice-totals'), skill, { recursive: true })
const priceFile = path.join(home, 'prices.yaml')
writeFileSync(priceFile, prices)
const server = await practice(scenario)
afterAll(() => server[Symbol.asyncDispose]())

const env = { ANTHROPIC_API_KEY: 'practice', ANTHROPIC_BASE_URL: server.url }
const bench = (...args: string[]) => runMain(['bench', skill, '--prices', priceFile, ...args], { env })
/** Requests to the model. The start of a benchmark is one: it asks whether the model answers. */
const countAnswers = () => server.requests.filter(({ method }) => method === 'POST').length
const one = path.join(home, 'one')

describe('one benchmark', () => {
  const asked = ['--engine', 'anthropic:practice-1', '--runs', '3', '--workspace', one]
  test('better but dearer: worth fails, worth with a limit passes, and the files say it', async () => {
    const end = await bench(...asked, '--gate', 'worth', '--gate', 'worth <= 0.0005')
    expect(end.stdout.replaceAll('\n', ' ')).toMatch(
      /With its price: better but dearer, cost per run × 1\.\d\d, 95% CI \[1\.\d\d, 1\.\d\d\]; each further point costs \$0\.000\d+, at most \$0\.000\d+\./,
    )
    expect(end.stdout).toMatch(/gate failed: worth \(is better_but_dearer/)
    expect(end.stdout).toMatch(/gate passed: worth <= 0\.0005 \(is better_but_dearer/)
    expect(end.code).toBe(1)
    const { result, read } = newestIn(one)
    expect(result.statistics?.price).toMatchObject({ verdict: 'better_but_dearer', unit: 'cost_usd', margin: 0.1 })
    expect(read('benchmark.md')).toContain('With its price: better but dearer')
  })
  test('a margin is another plan of the same runs: nothing is paid again, and --json has the verdict', async () => {
    const before = countAnswers()
    const end = await bench(...asked, '--margin', '5', '--json')
    expect(countAnswers()).toBeLessThanOrEqual(before + 1)
    const last = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
    expect(last).toMatchObject({ exit_code: 0, price: { verdict: 'better_but_dearer', margin: 0.05 } })
  })
})

test('a matrix: both models in one index, compared in pairs, with the front of pass rate and cost', async () => {
  const cells = ['anthropic:practice-1', 'anthropic:practice-mini']
  const two = path.join(home, 'two')
  const judge = ['--judge', 'anthropic:practice-1']
  const end = await bench('--matrix', cells.join(','), ...judge, '--runs', '3', '--workspace', two)
  expect(end.code, end.stderr).toBe(0)
  const index = benchmarkIndex.parse(JSON.parse(readFileSync(path.join(two, 'index.json'), 'utf8')))
  expect(index.front_axes).toBe('rate_and_cost')
  expect(index.rows.map(({ front }) => front?.status)).toEqual(['front', 'front'])
  expect(index.pairs).toMatchObject([{ first: cells[0], second: cells[1], n_cases: 4, reason: null }])
  expect(index.pairs?.[0]?.lift?.mean).toBeGreaterThan(0)
  for (const text of [end.stdout, readFileSync(path.join(two, 'index.md'), 'utf8')]) {
    expect(text.replaceAll('\n', ' ')).toContain('By pass rate with the skill and cost per run, not dominated:')
  }
  expect(readFileSync(path.join(two, 'index.html'), 'utf8')).toContain('Models against each other')
})
