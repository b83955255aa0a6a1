/** The same input is never paid for twice: what a second bench starts, seen in the agent's own log. */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark } from '../../../schemas/benchmark.ts'
import { type RunRecord, runRecord } from '../../../schemas/run.ts'
import { pageIn } from '../../viewer/unpack.ts'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const checks = [{ type: 'contains', value: 'TIDY' }]
const cases = [1, 2].map((id) => ({ id, prompt: `task ${id}`, checks }))

function setUp(evals: readonly object[] = cases) {
  const folder = fresh()
  const skill = makeSkill(evals)
  const log = path.join(folder, 'agent.log')
  const workspace = path.join(folder, 'ws')
  const benchOf = async (runs: number, ...flags: string[]) => {
    const before = starts(log)
    const args = [
      'bench',
      skill,
      '--engine',
      agent('tidy.mjs'),
      '--workspace',
      workspace,
      '--pass-env',
      'AGENT_LOG',
      '--sandbox',
      'off',
    ]
    const end = await whetstone([...args, '--runs', String(runs), ...flags], { env: { AGENT_LOG: log } })
    return { ...end, started: starts(log) - before, folder: newest(workspace) }
  }
  return { skill, workspace, benchOf, bench: (...flags: string[]) => benchOf(2, ...flags) }
}

const starts = (log: string) =>
  existsSync(log)
    ? readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line.startsWith('start')).length
    : 0
const benchmarks = (workspace: string) => readdirSync(path.join(workspace, 'benchmarks')).sort()
const newest = (workspace: string) => path.join(workspace, 'benchmarks', benchmarks(workspace).at(-1) ?? '')
const resultOf = (folder: string) =>
  benchmark.parse(JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')))
const recordsIn = (folder: string): RunRecord[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => path.basename(name) === 'run.json')
    .sort()
    .map((name) => runRecord.parse(JSON.parse(readFileSync(path.join(folder, name), 'utf8'))))
/** Where each run of an arm as it was in the iteration before is, by the page; 3: it is the same run. */
function beforeIn(folder: string) {
  const { arms, runs } = pageIn(readFileSync(path.join(folder, 'report.html'), 'utf8'))
  return Object.fromEntries(arms.map((arm, at) => [arm, runs.before?.filter((_, index) => runs.arm[index] === at)]))
}

describe('a second bench of the same', () => {
  test('starts nothing, is complete, says the same and where its runs are from', async () => {
    const { bench } = setUp()
    const first = await bench()
    const second = await bench()
    expect([first, second].map(({ code, started }) => ({ code, started }))).toEqual([
      { code: 0, started: 8 },
      { code: 0, started: 0 },
    ])
    expect(second.folder).not.toBe(first.folder)
    expect(second.stderr).toContain('8 of 8 runs reused (4 with_skill, 4 without_skill; oldest 20')
    const [before, after] = [resultOf(first.folder), resultOf(second.folder)]
    expect(after).toMatchObject({ complete: true, reused: { runs: 8 } })
    expect(before.reused).toBeUndefined()
    expect(after.runs).toEqual(before.runs)
    const from = { benchmark: path.basename(first.folder) }
    expect(recordsIn(second.folder).map(({ cached_from }) => cached_from)).toEqual(
      recordsIn(first.folder).map(({ ended_at }) => ({ ...from, at: ended_at })),
    )
    expect(readFileSync(path.join(second.folder, 'benchmark.md'), 'utf8')).toContain('8 of 8 runs reused')
    expect(beforeIn(second.folder)).toEqual({ with_skill: [3, 3, 3, 3], without_skill: [3, 3, 3, 3] })
  })
  test('a third names the first, not the second', async () => {
    const { bench } = setUp()
    const first = await bench()
    await bench()
    const third = await bench()
    expect(new Set(recordsIn(third.folder).map(({ cached_from }) => cached_from?.benchmark))).toEqual(
      new Set([path.basename(first.folder)]),
    )
  })
  test('more runs: only the further ones', async () => {
    const { benchOf } = setUp()
    await benchOf(2)
    expect(await benchOf(3)).toMatchObject({ code: 0, started: 4 })
  })
  test('two cases that ask the same have runs of their own', async () => {
    const { bench } = setUp([1, 2].map((id) => ({ id, name: `case ${id}`, prompt: 'the same', checks })))
    const first = await bench()
    const second = await bench()
    expect([first, second].map(({ started }) => started)).toEqual([8, 0])
    const starts = recordsIn(second.folder).map(({ started_at, ended_at }) => `${started_at} ${ended_at}`)
    expect(starts).toEqual(recordsIn(first.folder).map(({ started_at, ended_at }) => `${started_at} ${ended_at}`))
    expect(new Set(starts).size).toBe(8)
  })
  test('after the skill has changed: only the arm that saw it, and the benchmark says so', async () => {
    const { bench, skill } = setUp()
    await bench()
    appendFileSync(path.join(skill, 'SKILL.md'), 'And be kind.\n')
    const end = await bench()
    expect(end).toMatchObject({ code: 0, started: 4 })
    expect(resultOf(end.folder).reused?.by_configuration).toEqual({ without_skill: 4 })
    expect(beforeIn(end.folder)).toEqual({ with_skill: [1, 1, 1, 1], without_skill: [3, 3, 3, 3] })
    expect(resultOf(end.folder).notes.join('\n')).toMatch(
      /^4 of 8 runs reused \(4 without_skill; oldest \d{4}-\d\d-\d\d\)\.$/m,
    )
  })
  test('after a check has changed: nothing is started, everything is graded anew', async () => {
    const { bench, skill } = setUp()
    await bench()
    const evals = cases.map((one) => ({ ...one, checks: [{ type: 'contains', value: 'messy' }] }))
    writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
    const end = await bench()
    expect(end).toMatchObject({ code: 0, started: 0 })
    expect(resultOf(end.folder).run_summary.without_skill?.pass_rate.mean).toBe(1)
  })
})

describe('what never reads the cache', () => {
  test.each([['--no-cache'], ['--fresh'], ['--last-failed']])('%s', async (flag) => {
    const { bench, skill } = setUp()
    const evals = cases.map((one) => ({ ...one, checks: [{ type: 'contains', value: 'SPOTLESS' }] }))
    writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals }))
    await bench()
    expect(await bench(flag)).toMatchObject({ code: 0, started: 8 })
  })
  test('--no-cache keeps nothing', async () => {
    const { bench, workspace } = setUp()
    await bench('--no-cache')
    expect(existsSync(path.join(workspace, '.cache'))).toBe(false)
  })
  test('--fresh replaces what was kept', async () => {
    const { bench } = setUp()
    await bench()
    const renewed = await bench('--fresh')
    const { folder } = await bench()
    expect(recordsIn(folder)[0]?.cached_from?.benchmark).toBe(path.basename(renewed.folder))
  })
})

test('a benchmark stays whole when the cache is gone', async () => {
  const { bench, workspace } = setUp()
  await bench()
  const { folder } = await bench()
  const before = recordsIn(folder)
  rmSync(path.join(workspace, '.cache'), { recursive: true })
  expect((await whetstone(['aggregate', folder, '--force'])).code).toBe(0)
  expect(recordsIn(folder)).toEqual(before)
})
