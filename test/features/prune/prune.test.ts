/** `prune` before anything is paid: what is refused, and what --dry-run lists. */

import { existsSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { certifyDiet } from '../../../src/features/prune/stats/certify_diet.ts'
import { openPlantedSkill } from './planted_skill.ts'

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

test('with a run without a grade the shorter skill is not kept', () => {
  const each = (value: number) => ({ candidate: [value, value], baseline: [2 * value, 2 * value] })
  const ones = { candidate: [1, 1], baseline: [1, 1] }
  const passed = { candidate: [true, true], baseline: [true, true] }
  const cases = Array.from({ length: 8 }, (_, at) => {
    return { evalId: at, ...ones, passed, seconds: ones, usd: each(5), tokens: each(5) }
  })
  const missing = {
    by_configuration: { new_skill: { planned: 16, missing: 1 }, old_skill: { planned: 16, missing: 0 } },
    ...{ low: 0.7, high: 0.8 },
  }
  const diet = { benchmark: 'b', cases, margin: 0.5 }
  const open = '1 of 16 runs with the shorter skill and 0 of 16 with the whole skill has no grade'
  expect(certifyDiet({ ...diet, missing })).toMatchObject({ result: 'kept_full', reason: open })
  expect(certifyDiet(diet).result).toBe('kept_shorter')
})
