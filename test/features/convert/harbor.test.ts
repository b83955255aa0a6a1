/** convert --to harbor: the folder it writes, what it reports, and what it refuses. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { folderOf, skillWith } from '../../phases/1-plan/folder.ts'

const checked = { prompt: 'Do.', checks: [{ type: 'file_exists', path: 'x' }] }
const suite = {
  skill_name: 'sums',
  evals: [
    { id: 1, name: 'Ünïque näme', ...checked, files: ['in', 'run.sh'] },
    { id: 2, name: 'same', ...checked, expectations: ['It is polite.', 'It is short.'] },
    { id: 3, name: 'Same!', ...checked },
    { id: 4, name: 'judged', prompt: 'Hi', expectations: ['It greets.'] },
    { id: 5, name: 'broken', ...checked, files: ['none.txt'] },
  ],
}
const files = {
  'in/a.csv': '1',
  'in/deep/b.csv': '2',
  'run.sh': '#!/bin/sh\n',
  'evals/secret.txt': 's',
  'scripts/s.py': 'p',
}

test('writes a folder for each case, and reports each loss and each case that is not a task', async () => {
  const skill = skillWith(suite, files)
  const end = await runMain(['convert', skill, '--to', 'harbor', '-o', 'tasks'], { cwd: folderOf({}) })
  expect(end, end.stderr).toMatchObject({ code: 0, stdout: '' })
  expect(end.stderr).toContain('3 cases of sums: tasks\n')
  expect(end.stderr).toContain('does not carry over: same: statements that a judge decides (2)\n')
  expect(end.stderr).toContain(
    'does not carry over: case judged (nothing to verify but statements that a judge decides)\n',
  )
  expect(end.stderr).toMatch(/does not carry over: case broken \(it can't run: .*none\.txt/)
})

test('copies input files and the skill, without what agents may not see', async () => {
  const output = path.join(folderOf({}), 'tasks')
  const end = await runMain(['convert', skillWith(suite, files), '--to', 'harbor', '-o', output, '--json'])
  expect(JSON.parse(end.stdout)).toMatchObject({ type: 'result', exit_code: 0, file: output, cases: 3 })
  expect(readdirSync(output).sort()).toEqual(['same', 'same-2', 'ünïque-näme'])
  const task = path.join(output, 'ünïque-näme')
  const copied = readdirSync(path.join(task, 'environment'), { recursive: true }).map(String).sort()
  expect(copied.filter((name) => statSync(path.join(task, 'environment', name)).isFile())).toEqual(
    'Dockerfile files/in/a.csv files/in/deep/b.csv files/run.sh skills/sums/SKILL.md skills/sums/in/a.csv skills/sums/in/deep/b.csv skills/sums/run.sh skills/sums/scripts/s.py'.split(
      ' ',
    ),
  )
  const { start } = JSON.parse(readFileSync(path.join(task, 'tests/checks.json'), 'utf8'))
  expect(Object.keys(start)).toEqual(['in/a.csv', 'in/deep/b.csv', 'run.sh'])
  expect(statSync(path.join(task, 'tests/test.sh')).mode & 0o111).toBe(0o111)
})

test.each<[string, string[], string]>([
  ['no folder', [], '--to harbor writes a folder of tasks'],
  ['stdout', ['-o', '-'], '--to harbor writes a folder of tasks'],
  ['a folder with a file', ['-o', 'full'], 'it is not empty'],
  ['a file', ['-o', 'full/a'], 'is not a folder'],
])('refuses %s', async (_, flags, message) => {
  const cwd = folderOf({ 'full/a': '' })
  const end = await runMain(['convert', skillWith(suite, files), '--to', 'harbor', ...flags], { cwd })
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining(message) })
  expect(end.stderr).toContain('hint: ')
  expect(readdirSync(cwd, { recursive: true })).toHaveLength(2)
})

test('refuses a folder of the skill that agents see, and takes one that they do not', async () => {
  const skill = skillWith(suite, files)
  const end = await runMain(['convert', skill, '--to', 'harbor', '-o', path.join(skill, 'tasks')])
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('agents would see the solutions') })
  expect(existsSync(path.join(skill, 'tasks'))).toBe(false)
  const other = await runMain(['convert', skill, '--to', 'harbor', '-o', path.join(skill, 'evals/tasks')])
  expect(other, other.stderr).toMatchObject({ code: 0 })
})

test('refuses a suite without a case that can be a task', async () => {
  const judged = skillWith({
    skill_name: 'sums',
    evals: [{ id: 1, name: 'judged', prompt: 'Hi', expectations: ['It greets.'] }],
  })
  const end = await runMain(['convert', judged, '--to', 'harbor', '-o', 'tasks'], { cwd: folderOf({}) })
  expect(end).toMatchObject({ code: 2, stderr: expect.stringContaining('no case is left (case judged (nothing') })
})
