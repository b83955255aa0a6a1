/** improve --apply: the version that was tested, all of it or nothing. */
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { history as historySchema } from '../../../schemas/history.ts'
import { hashWalk } from '../../../src/base/fs/files.ts'
import { prepareApply } from '../../../src/flows/improve/apply.ts'
import { listSkillFiles } from '../../../src/phases/1-plan/skill/read_skill.ts'
import { fresh } from '../../e2e/program.ts'
import { folderOf } from '../../store/folder_of.ts'

const text = (word: string) => `---\nname: adder\ndescription: Adds.\n---\n\n${word}\n`

const folder = (files: Record<string, string>) => folderOf(files, 'adder')
const hashOf = async (place: string) => hashWalk((await listSkillFiles(place)).files)

/** v1 of these files has won over the skill of those. */
async function session(before: Record<string, string>, after: Record<string, string>) {
  const skill = folder(before)
  const best = folder(after)
  const iteration = async (version: string, place: string, parent: string | null) => ({
    version,
    parent,
    expectation_pass_rate: 1,
    grading_result: parent === null ? 'baseline' : 'won',
    is_current_best: parent !== null,
    skill_sha256: await hashOf(place),
  })
  const history = historySchema.parse({
    started_at: '2026-11-22T00:00:00Z',
    skill_name: 'adder',
    current_best: 'v1',
    iterations: [await iteration('v0', skill, null), await iteration('v1', best, 'v0')],
    schema_version: 2,
  })
  return { skill, best, history, workspace: fresh() }
}

test('puts the version in place, and keeps what was there', async () => {
  const made = await session({ 'SKILL.md': text('old'), 'gone.md': 'g' }, { 'SKILL.md': text('new') })
  const backup = await (await prepareApply(made, made.skill)).apply(new Date())
  expect(await hashOf(made.skill)).toBe(await hashOf(made.best))
  expect(readFileSync(path.join(backup, 'gone.md'), 'utf8')).toBe('g')
})

test('a version that was changed since its test is not put in place', async () => {
  const made = await session({ 'SKILL.md': text('old') }, { 'SKILL.md': text('new') })
  writeFileSync(path.join(made.best, 'SKILL.md'), text('newer'))
  await expect(prepareApply(made, made.skill)).rejects.toThrow('changed since it was tested')
})

test('what can be put in place only in part leaves the skill as it was, and names the backup', async () => {
  const before = { 'SKILL.md': text('old'), 'b.md': 'b', 'z.md/own.md': 'z' }
  const made = await session(before, { 'SKILL.md': text('new'), 'a.md': 'a', 'b.md': 'other', 'z.md': 'a file' })
  const hash = await hashOf(made.skill)
  const { apply } = await prepareApply(made, made.skill)
  await expect(apply(new Date())).rejects.toMatchObject({
    message: expect.stringContaining('could not be put in place'),
    fix: expect.stringMatching(/the skill is unchanged: a copy is in .*backups/),
  })
  expect(await hashOf(made.skill)).toBe(hash)
  expect(existsSync(path.join(made.skill, 'a.md'))).toBe(false)
})

test('a file behind a link that leads out of the skill is not replaced', async () => {
  const made = await session({ 'SKILL.md': text('old') }, { 'SKILL.md': text('old'), 'shared/a.md': 'new' })
  const shared = folder({ 'a.md': 'old' })
  symlinkSync(shared, path.join(made.skill, 'shared'))
  const [first] = made.history.iterations
  if (first !== undefined) first.skill_sha256 = await hashOf(made.skill)
  await expect(prepareApply(made, made.skill)).rejects.toThrow('behind a link that leads out of the skill')
  expect(readFileSync(path.join(shared, 'a.md'), 'utf8')).toBe('old')
  writeFileSync(path.join(made.best, 'shared/a.md'), 'old')
  writeFileSync(path.join(made.best, 'SKILL.md'), text('new'))
  const [, won] = made.history.iterations
  if (won !== undefined) won.skill_sha256 = await hashOf(made.best)
  await (await prepareApply(made, made.skill)).apply(new Date())
  expect(readFileSync(path.join(made.skill, 'SKILL.md'), 'utf8')).toBe(text('new'))
})
