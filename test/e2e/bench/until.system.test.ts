/** What a plan will be able to see, said before anything is spent; bench --until decided: stops when the pairs decide, goes on where it stopped, and says why. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { flowEvent } from '../../../schemas/flow_event.ts'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { runMain } from '../../cli/run_main.ts'
import { bench, tidySkill, withModel } from './benched.ts'
import { benchUntil, inWorld, lookedIn, worlds } from './until.ts'

const most = ['--max-runs', '10']

test('a skill that always helps: two blocks of four cases, ten were allowed; said everywhere', async () => {
  await inWorld(worlds.helps, 4, async (made) => {
    const end = await benchUntil(made, ...most)
    expect(end, end.stderr).toMatchObject({ code: 0, result: { complete: true, counts: { planned: 16, used: 16 } } })
    expect(end.made).toHaveLength(16)
    expect(end.until).toMatchObject({ max_runs: 10, blocks: 2, next: null, stopped: 'decided' })
    expect(end.result.statistics?.scopes?.these_cases.verdict).toBe('helps')
    for (const text of [end.stdout, end.read('benchmark.md'), end.read('report.html')]) {
      expect(text).toMatch(/stopped after 2 blocks: decided \(helps\)/i)
    }
    expect(end.stderr).toContain('interim analysis after 2 blocks: 8 pairs won, 0 lost, 0 even')
    expect(end.stdout).not.toContain('too few to tell')
    // every later command on the folder comes to the same
    const again = await runMain(['aggregate', end.folder])
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('Stopped after 2 blocks: decided (helps)') })
    const failed = await bench(made, '--last-failed', '--dry-run')
    expect(failed.stdout + failed.stderr).not.toContain('a run is missing')
  })
})

test('no interim analysis decides, up to the most; the events say each', async () => {
  await inWorld(worlds.mixed, 7, async (made) => {
    const end = await benchUntil(made, '--max-runs', '3', '--json')
    const looks = end.lines.filter(({ type }) => type === 'looked').map((line) => flowEvent.parse(line))
    expect(looks).toMatchObject([
      { blocks: 1, status: 'open', next: 2 },
      { blocks: 2, status: 'open', next: 3 },
      { blocks: 3, status: 'max_runs', next: null },
    ])
    expect(end).toMatchObject({ code: 0, until: { stopped: 'max_runs' }, result: { complete: true } })
  })
})

test('a budget ends it in the second block: the look after the first stands, none at the part; then on as if never stopped', async () => {
  await inWorld(worlds.mixed, 7, async (made) => {
    const first = await benchUntil(made, '--max-runs', '3', '--budget', '0.0175')
    expect(first, first.stderr).toMatchObject({ code: 3, until: { blocks: 1, next: 2, stopped: null } })
    expect(first.until?.looks.map(({ blocks, pairs }) => [blocks, pairs])).toEqual([[1, 7]])
    expect(first.read('benchmark.md')).toMatch(
      /\*\*Incomplete: \d+ of 14 runs with the skill and \d+ of 14 without have no grade\./,
    )
    // what ended in the second block is kept, and in no look
    expect(first.made.length).toBeGreaterThan(14)
    expect(first.made.length).toBeLessThan(28)
    expect(first.result.statistics?.scopes?.these_cases.difference.n_runs).toBe(14)
    const second = await benchUntil(made, '--max-runs', '3', '--budget', '1')
    expect(second, second.stderr).toMatchObject({ code: 0, benchmarks: 1, until: { blocks: 3, stopped: 'max_runs' } })
    expect(second.made).toHaveLength(42)
    expect(second.made).toEqual(expect.arrayContaining(first.made))
  })
})

test('runs lost after it was decided are made again, and no more', async () => {
  await inWorld(worlds.helps, 4, async (made) => {
    const { folder } = await benchUntil(made, ...most, '--no-cache')
    for (const name of ['eval-1-task-1/with_skill/run-2', 'eval-3-task-3/without_skill/run-1', 'benchmark.json'])
      rmSync(path.join(folder, name), { recursive: true })
    const again = await benchUntil(made, ...most, '--no-cache')
    expect(again, again.stderr).toMatchObject({ code: 0, benchmarks: 1, until: { blocks: 2, stopped: 'decided' } })
    expect(again.made).toHaveLength(16)
    expect(again.stderr).toContain('continuing in')
  })
})

test('runs of an earlier benchmark are reused block by block, up to the look that decides', async () => {
  await inWorld(worlds.helps, 4, async (made) => {
    expect(await bench(made, '--runs', '4')).toMatchObject({ code: 0 })
    expect(lookedIn(made.workspace)).toMatchObject({ until: undefined, made: { length: 32 } })
    const end = await benchUntil(made, ...most, '--budget', '1')
    const expected = { code: 0, benchmarks: 2, until: { blocks: 2 }, result: { reused: { runs: 16 } } }
    expect(end, end.stderr).toMatchObject(expected)
    expect(end.made).toHaveLength(16)
  })
})

test('which arm of a pair starts first is drawn, the same for the same plan; with --runs it never changes', async () => {
  await inWorld(worlds.helps, 4, async (made) => {
    const plan = async (...flags: string[]) =>
      planSchema.parse((await bench(made, '--dry-run', '--json', ...flags)).lines[0]).runs
    const firsts = (runs: Awaited<ReturnType<typeof plan>>) =>
      runs.filter((_, at) => at % 2 === 0).map(({ configuration }) => configuration)
    const drawn = await plan('--until', 'decided')
    const candidates = firsts(drawn).filter((name) => name === 'with_skill').length
    expect(candidates).toBeGreaterThan(20)
    expect(candidates).toBeLessThan(60)
    expect(await plan('--until', 'decided')).toEqual(drawn)
    expect(new Set(firsts(await plan('--runs', '20')))).toEqual(new Set(['with_skill']))
  })
})

const dryRun = (...flags: string[]) =>
  withModel('rules: [{ name: a, text: x }]', (env) =>
    bench({ skill: tidySkill(4), engine: 'anthropic:claude-haiku-4-5', env }, '--dry-run', ...flags),
  )

test('--dry-run: the smallest difference, and what a named one would take', async () => {
  const { code, stdout } = await dryRun('--detect', '.2', '--power', '.8')
  expect(code, stdout).toBe(0)
  expect(stdout).toContain(
    'detects   3 runs of 4 cases detect a difference of 52 points or more on these cases (80% power); for similar cases you need at least 6 cases, or 9 if the difference varies between cases',
  )
  expect(stdout).toContain(
    'needed    for a difference of 20 points: 18 runs of each of these 4 cases per configuration; for similar cases 46 cases with 3 runs (80% power)',
  )
  const [usual] = (await dryRun('--json', '--detect', '.2')).lines
  expect(usual.detectable).toMatchObject({ power: 0.8, cases_like_these: null })
  expect(usual.detectable.these_cases).toBeCloseTo(0.5126, 3)
  expect(usual.needed).toEqual({ detect: 0.2, runs: 18, cases: 46 })
  const [until] = (await dryRun('--json', '--detect', '.2', '--until', 'decided')).lines
  expect(until.needed).toMatchObject({ runs: expect.toSatisfy((runs: number) => runs > 18), cases: null })
})
