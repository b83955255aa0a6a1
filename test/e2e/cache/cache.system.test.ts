/** The same input is never paid for twice: what a second bench starts, seen in the agent's own log. */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { pageIn } from '../../viewer/unpack.ts'
import { bench as benchIn, newestIn, tidyCases } from '../bench/benched.ts'
import { fresh, makeSkill } from '../program.ts'

const checks = [{ type: 'contains', value: 'TIDY' }]
const cases = tidyCases(2)
const engine = `command:sh -c 'cat > answer.txt; echo start >> "$AGENT_LOG"; if [ -e .claude/skills/tidy/SKILL.md ]; then echo TIDY; else echo messy; fi'`

function setUp(evals: readonly object[] = cases) {
  const log = path.join(fresh(), 'agent.log')
  const asked = { skill: makeSkill(evals), workspace: path.join(fresh(), 'ws'), engine, env: { AGENT_LOG: log } }
  const starts = () => (existsSync(log) ? readFileSync(log, 'utf8').split('start').length - 1 : 0)
  const bench = async (...flags: readonly string[]) => {
    const before = starts()
    const runs = flags.includes('--runs') ? [] : ['--runs', '2']
    const end = await benchIn(asked, '--pass-env', 'AGENT_LOG', '--sandbox', 'off', ...runs, ...flags)
    return { ...end, ...newestIn(asked.workspace), started: starts() - before }
  }
  const write = (changed: readonly object[]) =>
    writeFileSync(path.join(asked.skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals: changed }))
  return { ...asked, bench, write }
}

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
    const [before, after] = [first.result, second.result]
    expect(after).toMatchObject({ complete: true, reused: { runs: 8 } })
    expect(before.reused).toBeUndefined()
    expect(after.runs).toEqual(before.runs)
    const from = { benchmark: path.basename(first.folder) }
    expect(second.records.map(({ cached_from }) => cached_from)).toEqual(
      first.records.map(({ ended_at }) => ({ ...from, at: ended_at })),
    )
    expect(readFileSync(path.join(second.folder, 'benchmark.md'), 'utf8')).toContain('8 of 8 runs reused')
    expect(beforeIn(second.folder)).toEqual({ with_skill: [3, 3, 3, 3], without_skill: [3, 3, 3, 3] })
  })
  test('more runs: only the further ones', async () => {
    const { bench } = setUp()
    await bench()
    expect(await bench('--runs', '3')).toMatchObject({ code: 0, started: 4 })
  })
  test('two cases that ask the same have runs of their own', async () => {
    const { bench } = setUp([1, 2].map((id) => ({ id, name: `case ${id}`, prompt: 'the same', checks })))
    const first = await bench()
    const second = await bench()
    expect([first, second].map(({ started }) => started)).toEqual([8, 0])
    const starts = second.records.map(({ started_at, ended_at }) => `${started_at} ${ended_at}`)
    expect(starts).toEqual(first.records.map(({ started_at, ended_at }) => `${started_at} ${ended_at}`))
    expect(new Set(starts).size).toBe(8)
  })
  test('after the skill has changed: only the arm that saw it, and the benchmark says so', async () => {
    const { bench, skill } = setUp()
    await bench()
    appendFileSync(path.join(skill, 'SKILL.md'), 'And be kind.\n')
    const end = await bench()
    expect(end).toMatchObject({ code: 0, started: 4 })
    expect(end.result.reused?.by_configuration).toEqual({ without_skill: 4 })
    expect(beforeIn(end.folder)).toEqual({ with_skill: [1, 1, 1, 1], without_skill: [3, 3, 3, 3] })
    expect(end.result.notes.join('\n')).toMatch(/^4 of 8 runs reused \(4 without_skill; oldest \d{4}-\d\d-\d\d\)\.$/m)
  })
  test('after a check has changed: nothing is started, everything is graded again', async () => {
    const { bench, write } = setUp()
    await bench()
    write(cases.map((one) => ({ ...one, checks: [{ type: 'contains', value: 'messy' }] })))
    const end = await bench()
    expect(end).toMatchObject({ code: 0, started: 0 })
    expect(end.result.run_summary.without_skill?.pass_rate.mean).toBe(1)
  })
})

describe('what never reads the cache', () => {
  test.each([['--no-cache'], ['--fresh'], ['--last-failed']])('%s', async (flag) => {
    const { bench, write } = setUp()
    write(cases.map((one) => ({ ...one, checks: [{ type: 'contains', value: 'SPOTLESS' }] })))
    await bench()
    expect(await bench(flag)).toMatchObject({ code: 0, started: 8 })
  })
  test('--fresh replaces what was kept', async () => {
    const { bench } = setUp()
    await bench()
    const renewed = await bench('--fresh')
    const { records } = await bench()
    expect(records[0]?.cached_from?.benchmark).toBe(path.basename(renewed.folder))
  })
})

test('a benchmark stays whole when the cache is gone', async () => {
  const { bench, workspace } = setUp()
  await bench()
  const { folder, records } = await bench()
  rmSync(path.join(workspace, '.cache'), { recursive: true })
  expect((await runMain(['aggregate', folder, '--force'])).code).toBe(0)
  expect(newestIn(workspace).records).toEqual(records)
})

describe('what is never kept', () => {
  test.each([
    ['fails', 'exit 1', '60', 3],
    ['times out', 'sleep 60', '1', 0],
  ])('a run that %s', async (_what, script, timeout, code) => {
    const how = ['--runs', '1', '--retries', '0', '--sandbox', 'off', '--timeout', timeout]
    const end = await benchIn({ engine: `command:sh -c '${script}'` }, ...how)
    expect(end.code, end.stderr).toBe(code)
    expect(readdirSync(path.join(end.workspace, '.cache/runs'))).toEqual([])
  })
  test('negative control: one that ends well is, until the program changes', async () => {
    const file = path.join(fresh(), 'agent.sh')
    const asked = { skill: makeSkill(tidyCases(1)), workspace: path.join(fresh(), 'ws'), engine: `command:sh ${file}` }
    for (const kept of [2, 4]) {
      writeFileSync(file, `echo TIDY ${kept}`)
      await benchIn(asked, '--runs', '1', '--sandbox', 'off')
      expect(readdirSync(path.join(asked.workspace, '.cache/runs'))).toHaveLength(kept)
    }
  })
})
