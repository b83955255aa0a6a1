/** `prune` under a budget: what is paid once is not paid again. And a protected line stays. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { openPlantedSkill, wordy } from './planted_skill.ts'

const least = ['--screening-runs', '16', '--margin', '20', '--certify-runs', '16']

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

test('a protected line is in every version, and stays', async () => {
  await using planted = await openPlantedSkill()
  const small = ['--screening-runs', '32', '--margin', '20', '--certify-runs', '40']
  const { stdout } = await planted.prune(...small, '--protect', 'mind what the USER', '--json')
  const { prune, folder } = planted.result(stdout)
  expect(prune.screening?.units.map(({ id }) => id)).toEqual(['u1', 'u3'])
  for (const name of ['pruned', 'variants/1', 'variants/2', 'variants/3', 'variants/4'])
    expect(readFileSync(path.join(folder, name, 'SKILL.md'), 'utf8')).toContain(wordy)
})
