/** `prune` under a budget: what is paid once is not paid again. */
import { expect, test } from 'vitest'
import { openPlantedSkill } from './planted_skill.ts'

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
