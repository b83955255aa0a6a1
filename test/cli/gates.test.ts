/** `bench --gate` and `--fail-on`: exit 1 when one does not hold, 3 wins, mistakes cost nothing. */
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { fresh, makeSkill } from '../e2e/program.ts'
import { runMain } from './run_main.ts'

const skillOf = (value: string) => makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value }] }])
const skill = skillOf('TIDY')

function bench(more: readonly string[], workspace = path.join(fresh(), 'ws'), env = {}) {
  const args = ['bench', skill, '--engine', 'command:echo TIDY', '--runs', '1', '--workspace', workspace, ...more]
  return runMain(args, { env })
}

test.each<[string[], number, RegExp]>([
  [['--gate', 'pass_rate >= 0', '--gate', 'pass_rate > 1'], 1, /^gate passed: .*\n^gate failed: pass_rate > 1 \(is /m],
  [['--fail-on', 'inconclusive,helps,no_difference'], 1, /^gate failed: verdict != /m],
  [['--fail-on', 'not_comparable'], 0, /^gate passed: verdict != not_comparable \(is /m],
  [
    ['--fail-on', 'inconclusive'],
    1,
    /verdict != inconclusive \(.*\n.*verdict != too_easy \(.*\n.*verdict != too_hard \(.*\n.*verdict != not_comparable \(/,
  ],
])('%j ends with %i', async (more, code, line) => {
  const end = await bench(more)
  expect(end.code, end.stderr).toBe(code)
  expect(end.stdout).toMatch(line)
})

test('--json lists each gate with what was found', async () => {
  const end = await bench(['--gate', 'pass_rate > 1', '--json'])
  expect(end.code).toBe(1)
  const result = JSON.parse(end.stdout.trim().split('\n').at(-1) ?? '')
  expect(result.gates).toEqual([
    { gate: 'pass_rate > 1', passed: false, value: expect.any(Number), message: expect.stringMatching(/^is /) },
  ])
})

test.each([
  [['--gate', 'pass_rat > 1'], /did you mean/],
  [['--fail-on', 'hurt'], /--fail-on: unknown verdict "hurt"\nhint: did you mean "hurts"\?\n/],
])('%j is refused before anything starts', async (more, message) => {
  const workspace = path.join(fresh(), 'ws')
  const end = await bench(more, workspace)
  expect(end.code).toBe(2)
  expect(end.stderr).toMatch(message)
  expect(existsSync(workspace)).toBe(false)
})

test('with many skills each is held against them', async () => {
  const end = await bench([skillOf('TIDY'), '--gate', 'pass_rate > 1'])
  expect(end.code, end.stderr).toBe(1)
  expect(end.stdout.match(/gate failed/g)).toHaveLength(2)
})

test('--reporter writes each report; GitHub gets its summary', async () => {
  const folder = fresh()
  const at = (name: string) => path.join(folder, name)
  const asked = `junit:${at('deep/results.xml')},markdown:${at('report.md')},json:${at('report.json')},github`
  const summary = at('summary.md')
  const end = await bench(['--reporter', asked, '--gate', 'pass_rate > 1'], undefined, { GITHUB_STEP_SUMMARY: summary })
  expect(end.code, end.stderr).toBe(1)
  expect(readFileSync(at('deep/results.xml'), 'utf8')).toContain('<failure message="is ')
  expect(readFileSync(summary, 'utf8').trim()).toBe(readFileSync(at('report.md'), 'utf8').trim())
  expect(JSON.parse(readFileSync(at('report.json'), 'utf8'))).toMatchObject([
    { gates: [{ passed: false }], benchmark: { complete: true } },
  ])
  expect(end.stderr).toMatch(/^::error title=.*gate failed: pass_rate > 1/m)
})

test.each([
  ['junt:x.xml', /did you mean "junit"\?/],
  ['junit', /no path/],
  ['github:x', /takes no path/],
  ['markdown:/', /is a folder/],
])('--reporter %s is refused before anything starts', async (reporter, message) => {
  const workspace = path.join(fresh(), 'ws')
  const end = await bench(['--reporter', reporter], workspace)
  expect(end.code).toBe(2)
  expect(end.stderr).toMatch(message)
  expect(existsSync(workspace)).toBe(false)
})

test('a dry run refuses a report that could not be written', async () => {
  const end = await bench(['--dry-run', '--reporter', 'junit:/proc/x/y.xml'])
  expect([end.code, end.stderr]).toEqual([2, expect.stringContaining('--reporter: /proc/x/y.xml: ')])
})
