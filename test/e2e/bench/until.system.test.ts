/** bench --until decided: stops when the pairs decide, goes on where it stopped, and says why. */
import { rmSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { flowEvent } from '../../../schemas/flow_event.ts'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { runMain } from '../../cli/run_main.ts'
import { bench, withModel } from './benched.ts'
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
    const events = end.lines.slice(0, -1).map((line) => flowEvent.parse(line))
    const looks = events.flatMap((event) => (event.type === 'looked' ? event : []))
    expect(looks.map(({ blocks, status, next }) => [blocks, status, next])).toEqual([
      [1, 'open', 2],
      [2, 'open', 3],
      [3, 'max_runs', null],
    ])
    expect(end).toMatchObject({ code: 0, until: { stopped: 'max_runs' }, result: { complete: true } })
  })
})

test('every pair a tie: stopped for futility after a fifth of the runs, exit 0', async () => {
  await inWorld(worlds.same, 4, async (made) => {
    const end = await benchUntil(made, ...most)
    expect(end, end.stderr).toMatchObject({ code: 0, until: { blocks: 2, stopped: 'futile' }, made: { length: 16 } })
    expect(end.result.statistics?.scopes?.these_cases.verdict).toBe('too_hard')
    const reason = 'topped early, after 2 of at most 10 blocks: more runs were unlikely to show a difference'
    for (const text of [end.stdout, end.stderr, end.read('benchmark.md')])
      expect(text.replace(/\s+/g, ' ')).toContain(reason)
  })
})

test('a budget ends it before a look; a larger one goes on in the same benchmark, and looks as if never stopped', async () => {
  await inWorld(worlds.helps, 4, async (made) => {
    const first = await benchUntil(made, ...most, '--budget', '0.006')
    expect(first, first.stderr).toMatchObject({ code: 3, until: { blocks: 0, stopped: null } })
    expect(first.made.length).toBeLessThan(16)
    expect(first.stdout).toMatch(/stopped by the budget/)
    expect(first.read('benchmark.md')).toMatch(/Inconclusive after 0 of at most 10 blocks/)
    const second = await benchUntil(made, ...most, '--budget', '1')
    expect(second, second.stderr).toMatchObject({ code: 0, benchmarks: 1, until: { blocks: 2, stopped: 'decided' } })
    expect(second.made).toHaveLength(16)
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

describe('what breaks every run', () => {
  const broken = (fault: string, ...flags: string[]) =>
    inWorld(`faults: [${fault}]\n${worlds.helps}`, 4, (made) => benchUntil(made, ...most, '--retries', '0', ...flags))
  test('an error that would meet every run ends it at once', async () => {
    const end = await broken('{ status: 401, after: 5 }')
    expect(end, end.stderr).toMatchObject({ code: 3, until: { stopped: null } })
    expect(end.made.length).toBeLessThan(16)
  })
})

describe('a deadline', () => {
  /** Blocks of 14 runs and a look after each. Beyond `after` requests no answer comes. */
  const hanging = (after: number) => `faults: [{ hang: true, after: ${after} }]\n${worlds.mixed}`
  const three = ['--max-runs', '3', '--no-cache']

  test('in the second block: the look after the first stands, none at the part; then on to the same looks', async () => {
    await inWorld(hanging(18), 7, async (made) => {
      const end = await benchUntil(made, ...three, '--deadline', '12s')
      expect(end, end.stderr).toMatchObject({ code: 3, until: { blocks: 1, next: 2, stopped: null } })
      expect(end.until?.looks.map(({ blocks, pairs }) => [blocks, pairs])).toEqual([[1, 7]])
      expect(end.stdout).toMatch(/stopped by the deadline/)
      expect(end.stdout).toMatch(/Inconclusive after 1 of at most 3 blocks/)
      // what ended in the second block is kept, and in no look
      expect(end.result.counts).toMatchObject({ planned: 28, used: 18 })
      expect(end.result.statistics?.scopes?.these_cases.difference.n_runs).toBe(14)
      const after = await withModel(worlds.mixed, (env) => benchUntil({ ...made, env }, ...three))
      expect(after, after.stderr).toMatchObject({ code: 0, benchmarks: 1, until: { blocks: 3, stopped: 'max_runs' } })
      const untouched = await inWorld(worlds.mixed, 7, (again) => benchUntil(again, ...three))
      expect(after.until).toEqual(untouched.until)
      expect(after.made).toEqual(untouched.made)
      expect(after.made).toHaveLength(42)
      expect(after.made).toEqual(expect.arrayContaining(end.made))
    })
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
    for (const [at, run] of drawn.entries()) {
      if (at % 2 === 0) expect(drawn[at + 1]).toMatchObject({ eval_id: run.eval_id, run_number: run.run_number })
    }
    expect(await plan('--until', 'decided')).toEqual(drawn)
    expect(new Set(firsts(await plan('--runs', '20')))).toEqual(new Set(['with_skill']))
  })
})

test.each([
  ['--runs', ['--until', 'decided', '--runs', '5'], '--until decided with --runs 5'],
  ['--max-runs alone', ['--max-runs', '5'], '--max-runs 5 without --until'],
  ['--rerun', ['--until', 'decided', '--rerun', 'eval-1-task-1/with_skill/run-1'], '--rerun with --until'],
  ['--calibrate', ['--until', 'decided', '--calibrate'], '--calibrate with --until'],
  ['another word', ['--until', 'sure'], 'expected "decided"'],
])('a mixture that makes no sense: %s', async (_, flags, message) => {
  const end = await runMain(['bench', 'nowhere', ...flags])
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
})
