/** `bench --calibrate`: two equal arms without the skill, kept apart from benchmarks, named by later benchmarks of the same suite alone. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { calibration as calibrationSchema } from '../../../schemas/calibration.ts'
import { plan as planSchema } from '../../../schemas/plan.ts'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh } from '../program.ts'
import { bench, newestIn, tidySkill } from './benched.ts'

const how = ['--runs', '2', '--sandbox', 'off']
const tidy = (asked: { skill: string; workspace: string }, ...flags: readonly string[]) =>
  bench({ ...asked, engine: tidyAgent }, ...how, ...flags)
const calibrationsIn = (workspace: string) => {
  const folder = path.join(workspace, 'calibrations')
  const names = readdirSync(folder).filter((name) => name.startsWith('20'))
  return names.sort().map((name) => path.join(folder, name))
}
const read = (folder: string | undefined, name: string): unknown =>
  JSON.parse(readFileSync(path.join(folder ?? '', name), 'utf8'))
const runsIn = (folder: string | undefined) => planSchema.parse(read(folder, 'plan.json')).runs

describe('a calibration', () => {
  const asked = { skill: tidySkill(2), workspace: path.join(fresh(), 'ws') }
  const ended = tidy(asked, '--calibrate')

  test('has the skill in neither arm, and runs with numbers of their own', async () => {
    const end = await ended
    expect(end.code, end.stderr).toBe(0)
    const runs = runsIn(calibrationsIn(asked.workspace)[0])
    expect(runs.map(({ skill }) => skill)).toEqual(runs.map(() => null))
    expect(new Set(runs.map(({ key }) => key)).size).toBe(8)
    expect(runs.filter(({ eval_id }) => eval_id === 1).map((run) => [run.configuration, run.run_number])).toEqual([
      ['without_skill_again', 3],
      ['without_skill', 1],
      ['without_skill_again', 4],
      ['without_skill', 2],
    ])
  })
  test('is kept apart, with its scores, and is no benchmark, which it says; the cache is neither read nor filled', async () => {
    const { stdout } = await ended
    const found = calibrationSchema.parse(read(calibrationsIn(asked.workspace)[0], 'calibration.json'))
    expect(found).toMatchObject({ complete: true, of: { baseline_sha256: null }, skill_name: 'tidy' })
    expect(found.cases).toEqual([1, 2].map((eval_id) => ({ eval_id, first: [0, 0], again: [0, 0] })))
    expect(existsSync(path.join(asked.workspace, 'benchmarks'))).toBe(false)
    expect(existsSync(path.join(asked.workspace, '.cache'))).toBe(false)
    expect(stdout).toMatch(/^Too hard: pass rate 0% and 0% for the baseline against itself: \+0 points, 95% CI/m)
    expect(stdout).not.toMatch(/[Ss]kill (improves|leaves|lowers)|with the skill/)
    const page = await runMain(['view', calibrationsIn(asked.workspace)[0] ?? '', '--no-open'])
    expect(page.stdout).toContain('for the baseline against itself')
  })
  test('is named by a later benchmark of the suite on the same engine, and by no other', async () => {
    await ended
    const noise = () => newestIn(asked.workspace).result.statistics?.noise
    const same = await tidy(asked)
    expect(same.stdout).toMatch(/Noise: the baseline differs from itself by up to \d+ points with 2 runs per case/)
    expect(noise()?.calibration).toMatchObject({ difference: 0, n_runs: 8, runs: 2 })
    const other = await bench({ ...asked, engine: 'command:echo other' }, ...how)
    expect(other.stdout).not.toContain('from itself')
    expect(noise()).toBeNull()
  })
})
