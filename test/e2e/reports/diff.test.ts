/** `diff` of two benchmarks; `diff <folder>` and `view --trend`: every benchmark below, however deep, oldest first; a broken one is named and stops nothing. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { benchmarkDiff } from '../../../schemas/benchmark_diff.ts'
import { type Trend, trend as trendSchema } from '../../../schemas/trend.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const tree = fresh()
const says = (value: string) => [{ id: 1, name: 'first', prompt: 'x', checks: [{ type: 'contains', value }] }]
const skillMd = (body: string) => ({ 'SKILL.md': `---\nname: tidy\ndescription: Tidies.\n---\n${body}\n` })
const workspace = path.join(tree, 'skills/tidy-workspace')
const made: string[] = []
const write = (name: string, text: string) => {
  const file = path.join(tree, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, text)
}

beforeAll(async () => {
  for (const word of ['TIDY', 'never said']) {
    const skill = makeSkill(says(word), skillMd(`Say ${word}.`))
    const args = ['--engine', tidyAgent, '--runs', '2', '--workspace', workspace, '--no-cache', '--json']
    const end = await runMain(['bench', skill, ...args, '--sandbox', 'off'])
    expect(end.code, end.stderr).toBe(0)
    made.push(JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder)
  }
  const [first = ''] = made
  const iteration = path.join(tree, 'old/iteration-1') // of another tool: no plan
  mkdirSync(iteration, { recursive: true })
  const old = JSON.parse(readFileSync(path.join(first, 'benchmark.json'), 'utf8'))
  old.metadata = { ...old.metadata, timestamp: '2020-05-06T07:08:09Z' }
  writeFileSync(path.join(iteration, 'benchmark.json'), JSON.stringify(old))
  write('old/iteration-2/benchmark.json', '{"metadata": {')
  write('old/iteration-3/benchmark.json', JSON.stringify({ ...old, metadata: { ...old.metadata, timestamp: 'once' } }))
  const iterations = [
    { version: 'v1', parent: null, expectation_pass_rate: 1, grading_result: 'won', is_current_best: true },
  ]
  const history = { started_at: '2020-05-06T00:00:00Z', skill_name: 'tidy', current_best: 'v1' }
  const proposal = { number: 1, focus: 'all', engine: 'anthropic', model: null, tokens: null, edits: [] }
  const round = (number: number, cost_usd: number | null, ended_at: string) => ({
    ...{ round: number, parent: 'v1', version: null, runs: 0, estimate: null, ended_at },
    ...{ shown: { runs: 0, pass_rate: null }, benchmarks: { shown: ['benchmarks/x'] } },
    proposals: [{ ...proposal, cost_usd }],
  })
  const rounds = [
    round(1, 1.5, '2020-05-07T00:00:00Z'),
    round(2, null, '2020-06-08T00:00:00Z'), // unknown: no month with 0
  ]
  const failed = [{ round: 1, reason: 'a crash', tokens: null, cost_usd: 0.25 }]
  const end = { ended_at: '2020-05-08T00:00:00Z' }
  write('old/history.json', JSON.stringify({ ...history, ...end, iterations, rounds, failed_proposals: failed }))
  // what an agent left behind is no benchmark
  cpSync(path.join(first, 'benchmark.json'), path.join(first, 'eval-1-first/with_skill/run-1/outputs/benchmark.json'))
})

describe('two benchmarks', () => {
  test('a terminal sees what differs in the plans; the commands of agents are told without credentials', async () => {
    const [before = '', after = ''] = made
    const file = path.join(after, 'plan.json')
    const text = readFileSync(file, 'utf8')
    const plan = JSON.parse(text)
    plan.options.engine.command = './agent.sh --key a-value-of-my-own'
    writeFileSync(file, JSON.stringify(plan))
    const env = { MY_API_KEY: 'a-value-of-my-own' }
    const two = await runMain(['diff', before, after], { env })
    const trend = await runMain(['diff', before, after, workspace, '--json'], { env })
    writeFileSync(file, text)
    expect([two.code, trend.code], two.stderr + trend.stderr).toEqual([0, 0])
    expect(two.stdout).toMatch(/: pass rate \d+(\.\d)?% after, \d+(\.\d)?% before: [+-]\d+(\.\d)? points, 95% CI \[/)
    expect(two.stdout).toMatch(
      /Differences in setup\n[\s\S]*\nagent command .*tidy\.sh.*\.\/agent\.sh --key \[redacted:MY_API_KEY\]/,
    )
    expect(trend.stdout).toContain('command:./agent.sh --key [redacted:MY_API_KEY]')
    expect(two.stdout + trend.stdout).not.toContain('a-value-of-my-own')
  })

  test('--json fits its schema; --markdown is a document; --fail-on regression ends with 1', async () => {
    const [before = '', after = ''] = made
    const json = await runMain(['diff', before, after, '--json', '--fail-on', 'regression'])
    const diff = benchmarkDiff.parse(JSON.parse(json.stdout))
    expect(diff.cases).toHaveLength(1)
    expect(json.code).toBe(diff.scopes?.these_cases.verdict === 'hurts' ? 1 : 0)
    const same = await runMain(['diff', before, before, '--markdown', '--fail-on', 'regression'])
    expect(same.code).toBe(0)
    expect(same.stdout).toMatch(/^# .*\n\n/)
  })

  test('a folder without a benchmark ends with 2', async () => {
    const [before = ''] = made
    const end = await runMain(['diff', before, fresh()])
    expect(end).toMatchObject({ code: 2, stderr: expect.stringMatching(/no graded runs found/) })
  })
})

describe('diff <folder>', () => {
  const json = async (...args: string[]): Promise<Trend> => {
    const end = await runMain(['diff', ...args, '--json'], { cwd: tree })
    expect(end.code, end.stderr).toBe(0)
    return trendSchema.parse(JSON.parse(end.stdout))
  }
  test('finds each benchmark of ours and of others, oldest first, and names what is broken', async () => {
    const found = await json('.')
    const ours = made.map((folder) => path.relative(tree, folder))
    expect(found.points.map(({ folder }) => folder)).toEqual(['old/iteration-1', ...ours])
    expect(found.left_out.map(({ file }) => file)).toEqual([
      'old/iteration-2/benchmark.json',
      'old/iteration-3/benchmark.json',
    ])
    expect(found.left_out[1]?.message).toContain('is not a date')
    expect((await json('skills')).by.skill_version).toHaveLength(2)
  })
  test('has the costs of the month, the improve loop apart', async () => {
    const [month] = (await json('.')).costs
    expect(month).toMatchObject({ month: '2020-05', benchmarks: 1, improve_usd: 1.75 })
    const [again, next] = (await json('.', 'old', 'skills')).costs // each history once, however often it is named
    expect(again).toEqual(month)
    expect(next).toMatchObject({ month: '2020-06', benchmarks: 0, improve_usd: null })
  })
  test('more than two names are a trend, two stay a comparison', async () => {
    const [a = '', b = ''] = made
    expect((await json(a, b, 'old')).points).toHaveLength(3)
    expect((await json(a, b, workspace)).points).toHaveLength(2) // each once
    const two = await runMain(['diff', a, b])
    expect(two.stdout).toContain('skill version')
  })
  test('two benchmarks are needed for a gate', async () => {
    const end = await runMain(['diff', '.', '--fail-on', 'regression'], { cwd: tree })
    expect(end).toMatchObject({ code: 2, stderr: expect.stringMatching(/need two benchmarks/) })
  })
  test('only broken ones: exit 2, with the reason', async () => {
    const folder = fresh()
    writeFileSync(path.join(folder, 'benchmark.json'), '{')
    const end = await runMain(['diff', folder])
    expect(end.code).toBe(2)
    expect(end.stderr).toMatch(/no readable benchmark\.json: .*benchmark\.json/)
  })
})

test("another tool's folder is read as aggregate reads it; audit and compare say what it lacks", async () => {
  const [old = '', now = ''] = ['old', 'new'].map((name) => {
    const folder = path.join(fresh(), name)
    for (const [arm, passed] of [
      ['with_skill', name === 'new'],
      ['without_skill', false],
    ] as const) {
      const run = path.join(folder, 'eval-1', arm)
      mkdirSync(run, { recursive: true })
      const expectations = [{ text: 'it adds up', passed, evidence: 'line 3' }]
      writeFileSync(path.join(run, 'grading.json'), JSON.stringify({ expectations }))
    }
    writeFileSync(path.join(folder, 'benchmark.json'), '{"runs": [{"score": 1}]}')
    return folder
  })
  const { code, stdout } = await runMain(['diff', old, now, '--json'])
  const { before, after } = benchmarkDiff.parse(JSON.parse(stdout))
  expect([code, before.configuration, after.configuration]).toEqual([0, 'with_skill', 'with_skill'])
  const trend = await runMain(['diff', path.dirname(now), '--json'])
  expect(trendSchema.parse(JSON.parse(trend.stdout)).points).toMatchObject([{ candidate: { mean: 1 } }])
  for (const command of ['audit', 'compare']) {
    const end = await runMain([command, now])
    expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('plan.json is missing, which names')])
  }
})

describe('view', () => {
  test('--trend writes page, Markdown and JSON, and shows the tables', async () => {
    const end = await runMain(['view', tree, '--trend', '--no-open', '--static', path.join(tree, 'site')])
    expect(end.code, end.stderr).toBe(0)
    expect(end.stdout).toContain('By skill version')
    const page = readFileSync(path.join(tree, 'trend.html'), 'utf8')
    expect(page).toContain('<svg')
    expect(readFileSync(path.join(tree, 'site/index.html'), 'utf8')).toBe(page)
    expect(trendSchema.parse(JSON.parse(readFileSync(path.join(tree, 'trend.json'), 'utf8'))).points).toHaveLength(3)
    expect(existsSync(path.join(tree, 'trend.md'))).toBe(true)
  })
  test('the folder of benchmarks itself is a trend; the workspace still its newest benchmark', async () => {
    const folder = path.join(workspace, 'benchmarks')
    const all = await runMain(['view', folder, '--no-open', '--json'])
    expect(JSON.parse(all.stdout).page).toBe(path.join(folder, 'trend.html'))
    const newest = await runMain(['view', workspace, '--no-open'])
    expect(newest.stdout).toMatch(/page .*report\.html/)
    expect(readdirSync(folder).filter((name) => name.startsWith('20'))).toHaveLength(2)
  })
})
