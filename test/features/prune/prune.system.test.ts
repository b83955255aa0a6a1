/** Whole screenings of `prune` on a planted skill: which line is kept, and what a second start runs. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { describeScreenedUnits } from '../../../src/flows/improve/propose/propose.ts'
import { findSigner } from '../../../src/store/signing/signer.ts'
import { plainEnvironment } from '../../e2e/program.ts'
import { openPlantedSkill, useful, wordy } from './planted_skill.ts'

const small = ['--screening-runs', '32', '--margin', '20', '--certify-runs', '40']

test('the line that makes answers pass is kept, the others go, and only --apply changes the skill; a damaged result is refused: to start again would pay twice', async () => {
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
    describeScreenedUnits(planted.workspace, { sha256, train: ids, signer: findSigner(plainEnvironment()) })
  expect(told(prune.skill_sha256, train)).toEqual([
    expect.stringMatching(/^item "End every answer with .*": \+100 points \(95% CI \d+ to 100\), -?\d+ tokens a run$/),
    expect.stringMatching(/: 0 points/),
    expect.stringMatching(/: 0 points/),
  ])
  expect([told(prune.skill_sha256, held_out), told('0'.repeat(64), train)]).toEqual([[], []])

  const paid = planted.requests()
  const file = path.join(folder, 'prune.json')
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, text.slice(0, 100))
  const damaged = await planted.prune(...small)
  const named = expect.stringMatching(/damaged .*prune\.json[\s\S]*delete/)
  expect([damaged.code, damaged.stderr, planted.requests()]).toEqual([2, named, paid])
  writeFileSync(file, text)

  writeFileSync(path.join(planted.skill, 'SKILL.md'), `${before}\nOne more line.\n`)
  const changed = await planted.prune(...small, '--apply', '--yes')
  expect([changed.code, changed.stderr, planted.requests()]).toEqual([2, expect.stringContaining(folder), paid])
  writeFileSync(path.join(planted.skill, 'SKILL.md'), before)
  const applied = await planted.prune(...small, '--apply', '--yes')
  expect(applied.stdout).toContain('Applied the shorter skill')
  expect([planted.requests(), planted.text()]).toEqual([paid, shorter])
})
