/** What a plan will be able to see, said before anything is spent. */
import { expect, test } from 'vitest'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { makeSkill, whetstone } from '../program.ts'
import { benchUntil, inWorld, worlds } from './until.ts'

const evals = Array.from({ length: 4 }, (_, at) => ({
  id: at + 1,
  prompt: `task ${at + 1}`,
  checks: [{ type: 'contains', value: 'TIDY' }],
}))

async function dryRun(...flags: string[]) {
  await using server = await startPractice({ scenario: parseScenario('rules: [{ name: a, text: x }]', 'test.yaml') })
  const args = ['bench', makeSkill(evals), '--engine', 'anthropic:claude-haiku-4-5', ...flags]
  return await whetstone(args, { env: { ANTHROPIC_API_KEY: 'practice', ANTHROPIC_BASE_URL: server.url } })
}

test('--dry-run: the smallest difference, and what a named one would take', async () => {
  const { code, stdout } = await dryRun('--dry-run', '--detect', '.2', '--power', '.8')
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
    whetstone(['bench', makeSkill(cases), '--engine', 'command:true', '--dry-run', '--detect', '.2', '--allow-invalid'])
  expect((await planned([...evals, bare])).stdout).toContain('detects   3 runs of 4 cases detect')
  const none = await planned([bare])
  expect(none.code).toBe(2)
  expect(none.stdout).not.toContain('needed ')
})

test('with --json too; more power needs more', async () => {
  const of = async (...flags: string[]) => JSON.parse((await dryRun('--dry-run', '--json', ...flags)).stdout)
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
    expect(end.stderr).toContain(
      "at most 3 runs of 1 case can't be significant, even if all agree: at least 4 runs per case and configuration are needed",
    )
    expect(end.result.statistics?.mde).toMatchObject({ power: 0.8 })
  })
})

test.each([
  [['--detect', '.2'], '--detect 0.2 without --dry-run'],
  [['--power', '.9'], '--power 0.9 without --dry-run'],
  [['--dry-run', '--detect', '20'], '--detect: expected a number above 0 and below 1'],
  [['--dry-run', '--power', '1'], '--power: expected a number above 0.05 and below 1'],
])('a mistake: %j', async (flags, message) => {
  expect(await dryRun(...flags)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
