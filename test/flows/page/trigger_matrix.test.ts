/** The page of a workspace has what `triggers --all` measured, whether it is asked for by workspace, folder or file. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { folderOf } from '../../store/folder_of.ts'
import { triggersFile } from '../../viewer/artefacts.ts'
import { matrixFile } from '../../viewer/skill_matrix.ts'
import { pageIn } from '../../viewer/unpack.ts'

const plain = (text: string) => text
const older = '2026-01-14T11-00-00Z'
const newer = '2026-01-15T11-00-00Z'

/** A workspace with these results of triggers, by path. */
const workspaceOf = (files: Record<string, string>) =>
  folderOf(Object.fromEntries(Object.entries(files).map(([name, text]) => [`triggers/${name}`, text])), 'skills')

async function viewed(place: string) {
  const end = await runMain(['view', place, '--json'])
  expect(end.code, end.stderr).toBe(0)
  const { page } = JSON.parse(end.stdout)
  return { report: page, page: pageIn(readFileSync(page, 'utf8')) }
}

test('a workspace: the newest, with its name and sentence', async () => {
  const second = JSON.stringify({ ...JSON.parse(matrixFile(plain)), name: 'of the second' })
  const workspace = workspaceOf({
    [`${older}/trigger_matrix.json`]: matrixFile(plain),
    [`${newer}/trigger_matrix.json`]: second,
  })
  const { report, page } = await viewed(workspace)
  expect(report).toBe(path.join(workspace, 'report.html'))
  expect(page.extras).toEqual({ trigger_matrix: { value: JSON.parse(second) } })
  expect(page.benchmark.metadata.skill_name).toBe('of the second')
  expect(page.said.headline).toContain('1 skill takes queries of other skills: pdf-forms.')
})

test.each(['', 'trigger_matrix.json'])('one measurement, by its folder and "%s"', async (name) => {
  const first = matrixFile(plain)
  const workspace = workspaceOf({
    [`${older}/trigger_matrix.json`]: first,
    [`${newer}/trigger_matrix.json`]: matrixFile(plain, ['a', 'b', 'c', 'd', 'e']),
  })
  const folder = path.join(workspace, 'triggers', older)
  const { report, page } = await viewed(path.join(folder, name))
  expect(report).toBe(path.join(folder, 'report.html'))
  expect(page.extras).toEqual({ trigger_matrix: { value: JSON.parse(first) } })
})

test('negative control: a measurement of one skill has no matrix, and one of unknown form is kept as it is', async () => {
  const workspace = workspaceOf({
    [`${older}/trigger_matrix.json`]: '{"odd":1}',
    [`${newer}/triggers.json`]: triggersFile(plain),
  })
  const one = await viewed(path.join(workspace, 'triggers', newer, 'triggers.json'))
  expect(Object.keys(one.page.extras)).toEqual(['triggers'])
  const both = await viewed(workspace)
  expect(both.page.extras.trigger_matrix).toEqual({ raw: { odd: 1 } })
  expect(both.page.benchmark.metadata.skill_name).toBe('pdf')
})

test('the page names no folder of this machine', async () => {
  const matrix = JSON.parse(matrixFile(plain))
  const [first, ...others] = matrix.skills
  const skills = [{ ...first, set: '/home/me/skills/a/evals/triggers.json' }, ...others]
  const text = JSON.stringify({ ...matrix, skills_folder: '/home/me/skills', skills })
  const { report, page } = await viewed(workspaceOf({ [`${older}/trigger_matrix.json`]: text }))
  expect(page.extras.trigger_matrix).toMatchObject({
    value: { skills_folder: 'skills', skills: [{ set: 'triggers.json' }, ...others.map(() => ({}))] },
  })
  expect(readFileSync(report, 'utf8')).not.toContain('/home/me')
})
