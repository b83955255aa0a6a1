/** `prune` on a planted skill: which line is kept, what is refused before anything is paid, and what a second start runs. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test, vi } from 'vitest'
import { describeScreenedUnits } from '../../../src/flows/improve/propose/screened_units.ts'
import { openPlantedSkill, useful, wordy } from './planted_skill.ts'

vi.setConfig({ testTimeout: 120_000 })

const least = ['--screening-runs', '16', '--margin', '20', '--certify-runs', '16']
const small = ['--screening-runs', '32', '--margin', '20', '--certify-runs', '40']

test('the line that makes answers pass is kept, the others go, and only --apply changes the skill', async () => {
  await using planted = await openPlantedSkill()
  const before = planted.text()
  const made = await planted.prune(...small, '--json')
  expect(made.code).toBe(0)
  const { prune, folder } = planted.result(made.stdout)
  expect(prune).toMatchObject({
    plan: { units: 3, screening_runs: 32, variants: 8 },
    screening: { runs: 32, variants: 8, pass_rate: 0.5 },
    certification: { result: 'kept_shorter', full: 1, pruned: 1, n_cases: 4, n_runs: 40, cost: { unit: 'tokens' } },
    dropped: ['u2', 'u3'],
  })
  const [first, second, third] = prune.screening?.units ?? []
  expect([first?.verdict, second?.verdict, third?.verdict]).toEqual(['helps', 'none', 'none'])
  expect(first?.effect).toMatchObject({ mean: 1, ci_high: 1 })
  // a look into the folder is one more answer of the model
  expect(third?.tokens?.mean).toBeGreaterThan(500)
  expect(prune.certification?.cost?.ratio).toBeLessThan(0.8)
  const shorter = readFileSync(path.join(folder, 'pruned/SKILL.md'), 'utf8')
  expect(shorter).toContain(useful)
  expect(shorter).not.toContain(wordy)
  expect(readFileSync(path.join(folder, 'prune.diff'), 'utf8')).toContain(`-${wordy}`)
  expect(planted.text()).toBe(before)

  // screening on training cases only, the decision on held-out ones only
  const casesOf = (benchmark: string) =>
    new Set(
      (
        JSON.parse(readFileSync(path.join(planted.workspace, benchmark, 'plan.json'), 'utf8')) as {
          runs: { eval_id: number }[]
        }
      ).runs.map(({ eval_id }) => eval_id),
    )
  expect([...casesOf(prune.screening?.benchmark ?? '')].sort()).toEqual(prune.split.train)
  expect([...casesOf(prune.certification?.benchmark ?? '')].sort()).toEqual(prune.split.held_out)

  // a proposer of improve learns of effects on its own training cases only
  const { train, held_out } = prune.split
  const told = (sha256: string, ids: readonly number[]) =>
    describeScreenedUnits(planted.workspace, { sha256, train: ids })
  expect(told(prune.skill_sha256, train)).toEqual([
    expect.stringMatching(/^item "End every answer with .*": \+100 points \(95% CI \d+ to 100\), -?\d+ tokens a run$/),
    expect.stringMatching(/: 0 points/),
    expect.stringMatching(/: 0 points/),
  ])
  expect([told(prune.skill_sha256, held_out), told('0'.repeat(64), train)]).toEqual([[], []])

  const paid = planted.requests()
  writeFileSync(path.join(planted.skill, 'SKILL.md'), `${before}\nOne more line.\n`)
  const changed = await planted.prune(...small, '--apply', '--yes')
  expect([changed.code, changed.stderr, planted.requests()]).toEqual([2, expect.stringContaining(folder), paid])
  writeFileSync(path.join(planted.skill, 'SKILL.md'), before)
  const applied = await planted.prune(...small, '--apply', '--yes')
  expect(applied.stdout).toContain('Applied the shorter skill')
  expect([planted.requests(), planted.text()]).toEqual([paid, shorter])
})

test('a damaged result is refused: to start again would pay twice', async () => {
  await using planted = await openPlantedSkill()
  const { folder } = planted.result((await planted.prune(...least, '--json')).stdout)
  const file = path.join(folder, 'prune.json')
  const [text, paid] = [readFileSync(file, 'utf8'), planted.requests()]
  writeFileSync(file, text.slice(0, 100))
  const { code, stderr } = await planted.prune(...least)
  expect([code, stderr, planted.requests()]).toEqual([
    2,
    expect.stringMatching(/damaged .*prune\.json[\s\S]*delete/),
    paid,
  ])
  writeFileSync(file, text)
  expect([(await planted.prune(...least)).code, planted.requests()]).toEqual([0, paid])
})

test('a protected line is in every version, and stays', async () => {
  await using planted = await openPlantedSkill()
  const { stdout } = await planted.prune(...small, '--protect', 'mind what the USER', '--json')
  const { prune, folder } = planted.result(stdout)
  expect(prune.screening?.units.map(({ id }) => id)).toEqual(['u1', 'u3'])
  expect(readFileSync(path.join(folder, 'pruned/SKILL.md'), 'utf8')).toContain(wordy)
  for (const number of [1, 2, 3, 4])
    expect(readFileSync(path.join(folder, `variants/${number}/SKILL.md`), 'utf8')).toContain(wordy)
})

test('a budget stops it, and the same command with a larger one continues without paying twice', async () => {
  await using planted = await openPlantedSkill()
  const first = await planted.prune(...least, '--budget', '0.1', '--cost-per-run', '0.01', '--json')
  expect(first.code).toBe(3)
  expect(planted.result(first.stdout).prune).toMatchObject({ stopped: { kind: 'budget' }, ended_at: null })
  const second = await planted.prune(...least, '--budget', '5', '--cost-per-run', '0.01', '--json')
  expect(second.code).toBe(0)
  const { prune } = planted.result(second.stdout)
  expect([prune.screening?.runs, prune.stopped]).toEqual([16, null])
  expect(prune.ended_at).not.toBeNull()
  await using other = await openPlantedSkill()
  await other.prune(...least)
  expect(planted.requests()).toBe(other.requests())
})

describe('refused before anything is written or paid', () => {
  test.each<[string, Parameters<typeof openPlantedSkill>[0], string[], RegExp]>([
    [
      'a skill without text',
      { files: { 'SKILL.md': '---\nname: radio\ndescription: Answers.\n---\n' } },
      [],
      /nothing can be left out/,
    ],
    ['every unit protected', {}, ['--protect', '.', '--protect', 'end every'], /every unit is protected/],
    ['a protected text that is not there', {}, ['--protect', 'no such text'], /no unit of the skill has this text/],
    ['too few cases', { cases: 5 }, [], /at least 6 cases.*got 5[\s\S]*add 1 case/],
    ['too few runs to screen', {}, ['--screening-runs', '6'], /too few to tell 3 units apart[\s\S]*use 8 or more; 152/],
    ['too few runs to decide', {}, ['--certify-runs', '10'], /too few for 4 held-out cases[\s\S]*use 16 or more/],
    ['a margin as a share', {}, ['--margin', '0.05'], /points from 1 to 90/],
    ['--apply without an answer', {}, ['--apply'], /cannot ask for confirmation/],
  ])('%s', async (_, wish, flags, message) => {
    await using planted = await openPlantedSkill(wish)
    for (const more of [[], ['--dry-run']]) {
      if (flags.includes('--apply') && more.length > 0) continue
      const { code, stderr } = await planted.prune(...flags, ...more)
      expect([code, stderr]).toEqual([2, expect.stringMatching(message)])
    }
    expect([planted.requests(), existsSync(planted.workspace)]).toEqual([0, false])
  })
})

test('--dry-run lists units, runs and dollars, and writes nothing', async () => {
  await using planted = await openPlantedSkill()
  const { stdout, code } = await planted.prune('--dry-run', '--cost-per-run', '0.05')
  expect(code).toBe(0)
  expect(stdout).toMatch(/152 runs of 8 versions without half of 3 units/)
  expect(stdout).toMatch(/--detect 5 +2352 +\$117\.60/)
  expect(stdout).toMatch(/item +8 +39 +End every answer/)
  expect([planted.requests(), existsSync(planted.workspace)]).toEqual([0, false])
})
