/** A folder of files with one case each is a suite; every message names its file. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { inspectSuite, loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf } from '../folder.ts'

const skill = '---\nname: rep\ndescription: Reports.\n---\nBody.\n'
const one = { skills: ['rep'], query: 'Make a report', files: [], expected_behavior: ['Writes report.md'] }
const two = { ...one, query: 'Make a second one' }
const place = (more: Record<string, unknown> = {}) =>
  folderOf({
    'SKILL.md': skill,
    'evals/one.json': JSON.stringify(one),
    'evals/two.json': JSON.stringify(two),
    ...Object.fromEntries(Object.entries(more).map(([name, value]) => [name, JSON.stringify(value)])),
  })

test('each file is a case, in the order of their names; the folder is the suite', async () => {
  const folder = place()
  const suite = await loadSuite(folder)
  expect(suite).toMatchObject({ path: path.join(folder, 'evals'), skill_name: 'rep' })
  expect(suite.cases.map(({ prompt }) => prompt)).toEqual(['Make a report', 'Make a second one'])
  expect(suite.cases.map(({ eval_id }) => eval_id)).toEqual([1, 2])
  expect((await loadSuite(path.join(folder, 'evals'), folder)).cases).toHaveLength(2)
  expect((await loadSuite(path.join(folder, 'evals/two.json'))).cases).toHaveLength(1)
})

test('evals.json wins; files for triggers are no cases; others are named', async () => {
  const both = place({ 'evals/evals.json': [{ prompt: 'p', expectations: ['e'] }] })
  expect((await loadSuite(both)).cases.map(({ prompt }) => prompt)).toEqual(['p'])
  const folder = place({
    'evals/trigger_evals.json': [{ query: 'q', should_trigger: true }],
    'evals/odd.json': { x: 1 },
  })
  const { cases, warnings } = await loadSuite(folder)
  expect(cases).toHaveLength(2)
  expect(warnings.filter(({ message }) => message.startsWith('not a case'))).toMatchObject([
    { file: path.join(folder, 'evals/odd.json') },
  ])
})

test('what is wrong in a file names that file, and the case is known', async () => {
  const folder = place({ 'evals/two.json': { ...two, checks: [{ type: 'file_exits', path: 'x' }], mood: 'good' } })
  const { suite, mistakes, places } = await inspectSuite(folder)
  expect(mistakes).toMatchObject([
    { at: expect.stringMatching(/^\$\[1\]\./), message: expect.stringMatching(/^two\.json: /) },
  ])
  expect(places.map(({ file }) => path.basename(file))).toEqual(['one.json', 'two.json'])
  expect(suite.warnings).toContainEqual(
    expect.objectContaining({ file: path.join(folder, 'evals/two.json'), at: '$.mood' }),
  )
})

test('control: without a case in it the folder is not a suite', async () => {
  const folder = folderOf({ 'SKILL.md': skill, 'evals/odd.json': '{"x":1}' })
  await expect(loadSuite(folder)).rejects.toThrow('no suite found')
  writeFileSync(path.join(folder, 'evals/one.json'), JSON.stringify(one))
  expect((await loadSuite(folder)).cases).toHaveLength(1)
})
