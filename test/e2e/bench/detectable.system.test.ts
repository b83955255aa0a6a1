/** What a plan will be able to see, said before anything is spent. */
import { expect, test } from 'vitest'
import { makeSkill } from '../program.ts'
import { bench, tidyCases, tidySkill, withModel } from './benched.ts'
import { benchUntil, inWorld, worlds } from './until.ts'

const dryRun = (...flags: string[]) =>
  withModel('rules: [{ name: a, text: x }]', (env) =>
    bench({ skill: tidySkill(4), engine: 'anthropic:claude-haiku-4-5', env }, '--dry-run', ...flags),
  )

test('--dry-run: the smallest difference, and what a named one would take', async () => {
  const { code, stdout } = await dryRun('--detect', '.2', '--power', '.8')
  expect(code, stdout).toBe(0)
  expect(stdout).toContain(
    'detects   3 runs of 4 cases detect a difference of 53 points or more on these cases (80% power); for similar cases you need at least 6 cases, or 9 if the difference varies between cases',
  )
  expect(stdout).toContain(
    'needed    for a difference of 20 points: 18 runs of each of these 4 cases per configuration; for similar cases 46 cases with 3 runs (80% power)',
  )
})

test('a case without criteria is not counted with --allow-invalid, and a suite of such cases is refused', async () => {
  const bare = { id: 5, prompt: 'task 5' }
  const planned = (cases: readonly object[]) =>
    bench({ skill: makeSkill(cases), engine: 'command:true' }, '--dry-run', '--detect', '.2', '--allow-invalid')
  expect((await planned([...tidyCases(4), bare])).stdout).toContain('detects   3 runs of 4 cases detect')
  const none = await planned([bare])
  expect(none.code).toBe(2)
  expect(none.stdout).not.toContain('needed ')
})

test('with --json too; more power needs more', async () => {
  const of = async (...flags: string[]) => (await dryRun('--json', ...flags)).lines[0]
  const usual = await of('--detect', '.2')
  expect(usual.detectable).toMatchObject({ power: 0.8, cases_like_these: null })
  expect(usual.detectable.these_cases).toBeCloseTo(0.523, 3)
  expect(usual.needed).toEqual({ detect: 0.2, runs: 18, cases: 46 })
  const sure = await of('--detect', '.2', '--power', '.95')
  expect(sure.needed.runs).toBeGreaterThan(18)
  expect(sure.detectable.these_cases).toBeGreaterThan(usual.detectable.these_cases)
  const until = await of('--detect', '.2', '--until', 'decided')
  expect(until.needed).toMatchObject({ runs: expect.toSatisfy((runs: number) => runs > 18), cases: null })
  expect((await of()).needed).toBeUndefined()
})

test('at the start of a bench, and after it in benchmark.json', async () => {
  await inWorld(worlds.same, 1, async (made) => {
    const end = await benchUntil(made, '--max-runs', '3')
    const message = "can't be significant, even if all agree: at least 4 runs per case and configuration are needed"
    expect(end.stderr).toContain(`at most 3 runs of 1 case ${message}`)
    expect(end.result.statistics?.mde).toMatchObject({ power: 0.8 })
  })
})

test.each([
  [['--detect', '.2'], '--detect 0.2 without --dry-run'],
  [['--power', '.9'], '--power 0.9 without --dry-run'],
  [['--dry-run', '--detect', '20'], '--detect: expected a number above 0 and below 1'],
  [['--dry-run', '--power', '1'], '--power: expected a number above 0.05 and below 1'],
])('a mistake: %j', async (flags, message) => {
  expect(await bench({}, ...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
