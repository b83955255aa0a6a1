/** `bench --calibrate`: two equal arms without the skill, kept apart from benchmarks, named by later benchmarks of the same suite alone. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { benchmark as benchmarkSchema } from '../../../schemas/benchmark.ts'
import { calibration as calibrationSchema } from '../../../schemas/calibration.ts'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const evals = [1, 2].map((id) => ({ id, prompt: `task ${id}`, checks: [{ type: 'contains', value: 'TIDY' }] }))
const skill = makeSkill(evals)
const bench = (args: readonly string[]) => whetstone(['bench', ...args, '--runs', '2'])
const tidy = ['--engine', agent('tidy.mjs')]
const read = (file: string): unknown => JSON.parse(readFileSync(file, 'utf8'))
const only = (folder: string) => path.join(folder, readdirSync(folder).find((name) => name.startsWith('20')) ?? 'none')
const shownOf = (workspace: string) => {
  const names = readdirSync(path.join(workspace, 'benchmarks')).sort()
  const file = path.join(workspace, 'benchmarks', names.at(-1) ?? '', 'benchmark.json')
  return benchmarkSchema.parse(read(file)).statistics
}

describe('a calibration', () => {
  const workspace = path.join(fresh(), 'ws')
  const ended = bench([skill, ...tidy, '--workspace', workspace, '--calibrate'])

  test('has the skill in neither arm, and runs with numbers of their own', async () => {
    const end = await ended
    expect(end.code, end.stderr).toBe(0)
    const { runs } = planSchema.parse(read(path.join(only(path.join(workspace, 'calibrations')), 'plan.json')))
    expect(runs.map(({ skill: has }) => has)).toEqual(runs.map(() => null))
    expect(new Set(runs.map(({ key }) => key)).size).toBe(8)
    expect(runs.filter(({ eval_id }) => eval_id === 1).map((run) => [run.configuration, run.run_number])).toEqual([
      ['without_skill_again', 3],
      ['without_skill', 1],
      ['without_skill_again', 4],
      ['without_skill', 2],
    ])
  })
  test('is kept apart, with its scores, and is no benchmark; the cache is neither read nor filled', async () => {
    await ended
    const found = calibrationSchema.parse(
      read(path.join(only(path.join(workspace, 'calibrations')), 'calibration.json')),
    )
    expect(found).toMatchObject({ complete: true, of: { baseline_sha256: null }, skill_name: 'tidy' })
    expect(found.cases).toEqual([1, 2].map((eval_id) => ({ eval_id, first: [0, 0], again: [0, 0] })))
    expect(existsSync(path.join(workspace, 'benchmarks'))).toBe(false)
    expect(existsSync(path.join(workspace, '.cache'))).toBe(false)
  })
  test('says so, not that a skill helps', async () => {
    const { stdout } = await ended
    expect(stdout).toMatch(
      /^Too hard: pass rate 0% and 0% for the baseline against itself: \+0 points, 95% CI \[-\d+, \d+\].* \(2 cases × 2 runs\)/m,
    )
    expect(stdout).toMatch(/calibration\.json/)
    expect(stdout).not.toMatch(/[Ss]kill (improves|leaves|lowers)|with the skill/)
  })
  test('is named by a later benchmark of the suite on the same engine, and by no other', async () => {
    await ended
    const same = await bench([skill, ...tidy, '--workspace', workspace])
    expect(same.code, same.stderr).toBe(0)
    expect(same.stdout).toMatch(/Noise: the baseline differs from itself by up to \d+ points with 2 runs per case/)
    expect(shownOf(workspace)?.noise?.calibration).toMatchObject({ difference: 0, n_runs: 8, runs: 2 })
    const other = await bench([skill, '--engine', agent('verbose.mjs'), '--workspace', workspace])
    expect(other.stdout).not.toContain('from itself')
    expect(shownOf(workspace)?.noise).toBeNull()
    writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify({ skill_name: 'tidy', evals, version: 2 }))
    const changed = await bench([skill, ...tidy, '--workspace', workspace])
    expect(changed.stdout).not.toContain('from itself')
  })
  test('is made anew each time: nothing is reused', async () => {
    await ended
    const again = await bench([skill, ...tidy, '--workspace', workspace, '--calibrate'])
    expect(again.stdout).not.toContain('reused')
    expect(readdirSync(path.join(workspace, 'calibrations')).filter((name) => name.startsWith('20'))).toHaveLength(2)
  })
  test('opens as any benchmark does', async () => {
    await ended
    const end = await whetstone(['view', only(path.join(workspace, 'calibrations')), '--no-open'])
    expect(end.stdout).toContain('for the baseline against itself')
  })
})

test('against an older version, that version is in both arms', async () => {
  const older = makeSkill(evals)
  const workspace = path.join(fresh(), 'ws')
  const end = await bench([makeSkill(evals), ...tidy, '--baseline', older, '--workspace', workspace, '--calibrate'])
  expect(end.code, end.stderr).toBe(0)
  expect(end.stdout).toContain('pass rate 100% and 100% for the baseline against itself')
  const { runs } = planSchema.parse(read(path.join(only(path.join(workspace, 'calibrations')), 'plan.json')))
  expect(new Set(runs.map(({ configuration }) => configuration))).toEqual(new Set(['old_skill', 'old_skill_again']))
})

test('of several skills: an index of its own, that of their benchmarks stays', async () => {
  const root = fresh()
  const skills = [makeSkill(evals), makeSkill(evals)]
  await bench([...skills, ...tidy, '--workspace', root])
  const before = readFileSync(path.join(root, 'index.json'), 'utf8')
  const end = await bench([...skills, ...tidy, '--workspace', root, '--calibrate'])
  expect(end.code, end.stderr).toBe(0)
  expect(readFileSync(path.join(root, 'index.json'), 'utf8')).toBe(before)
  const page = readFileSync(path.join(root, 'calibrations/index.html'), 'utf8')
  const links = [...page.matchAll(/href="([^"]+)"/g)].map(([, to = '']) => decodeURIComponent(to))
  expect(links.length).toBeGreaterThan(0)
  expect(links.filter((to) => !existsSync(path.join(root, 'calibrations', to)))).toEqual([])
})

test.each([[['--last-failed']], [['--rerun', 'eval-1/with_skill/run-1']]])('%j with it is refused', async (more) => {
  const end = await bench([skill, ...tidy, '--calibrate', ...more])
  expect(end.code).toBe(2)
  expect(end.stderr).toContain('--calibrate')
})
