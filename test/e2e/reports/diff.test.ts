/** `whetstone diff` on two benchmarks that were made: the terminal, Markdown, JSON, and its gate. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { benchmarkDiff } from '../../../schemas/benchmark_diff.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

const workspace = path.join(fresh(), 'ws')
const cases = [1, 2].map((id) => ({
  id,
  name: `case-${id}`,
  prompt: 'task',
  checks: [{ type: 'contains', value: 'TIDY' }],
}))
const made: string[] = []

beforeAll(async () => {
  for (const value of ['TIDY', 'never said']) {
    const skill = makeSkill(cases.map((one) => ({ ...one, checks: [{ type: 'contains', value }] })))
    const place = ['--workspace', path.join(workspace, String(made.length)), '--sandbox', 'off']
    const end = await runMain(['bench', skill, '--engine', tidyAgent, '--runs', '4', ...place, '--json'])
    expect(end.code, end.stderr).toBe(0)
    made.push(JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '').folder)
  }
})

const [before, after] = [() => made[0] ?? '', () => made[1] ?? '']

test('a terminal sees what differs in the plans, then the cases', async () => {
  const end = await runMain(['diff', before(), path.join(workspace, '1')])
  expect(end.code, end.stderr).toBe(0)
  expect(end.stdout).toMatch(/: pass rate \d+(\.\d)?% after, \d+(\.\d)?% before: [+-]\d+(\.\d)? points, 95% CI \[/)
  expect(end.stdout).toMatch(/Differences in setup[\s\S]*suite/)
})

test('the commands of agents are told, without credentials', async () => {
  const file = path.join(after(), 'plan.json')
  const text = readFileSync(file, 'utf8')
  const plan = JSON.parse(text)
  plan.options.engine.command = './agent.sh --key a-value-of-my-own'
  writeFileSync(file, JSON.stringify(plan))
  const env = { MY_API_KEY: 'a-value-of-my-own' }
  const two = await runMain(['diff', before(), after()], { env })
  const trend = await runMain(['diff', before(), after(), workspace, '--json'], { env })
  writeFileSync(file, text)
  expect(two.stdout).toMatch(
    /Differences in setup\n.*\nagent command .*tidy\.sh.*\.\/agent\.sh --key \[redacted:MY_API_KEY\]/,
  )
  expect(trend.stdout).toContain('command:./agent.sh --key [redacted:MY_API_KEY]')
  expect(two.stdout + trend.stdout).not.toContain('a-value-of-my-own')
})

test('--json fits its schema; --markdown is a document; --fail-on regression ends with 1', async () => {
  const json = await runMain(['diff', before(), after(), '--json', '--fail-on', 'regression'])
  const diff = benchmarkDiff.parse(JSON.parse(json.stdout))
  expect(diff.cases).toHaveLength(2)
  expect(json.code).toBe(diff.scopes?.these_cases.verdict === 'hurts' ? 1 : 0)
  const same = await runMain(['diff', before(), before(), '--markdown', '--fail-on', 'regression'])
  expect(same.code).toBe(0)
  expect(same.stdout).toMatch(/^# .*\n\n/)
})

test.each([
  ['a folder without a benchmark', () => fresh(), /no benchmark\.json in it/],
  ['nothing', () => path.join(fresh(), 'none'), /no such file or folder/],
  [
    'another file',
    () => {
      const file = path.join(fresh(), 'x.json')
      writeFileSync(file, '{"a":')
      return file
    },
    /not valid JSON/,
  ],
])('%s ends with 2', async (_what, place, message) => {
  const end = await runMain(['diff', before(), place()])
  expect(end.code).toBe(2)
  expect(end.stderr).toMatch(message)
})
