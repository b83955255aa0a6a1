/** Paths written on Windows: read with / where that is certain, with a warning; else a reason that says what to write. */
import { expect, test } from 'vitest'
import { loadCase, loadEvals } from '../folder.ts'

const base = { id: 1, prompt: 'p', expectations: ['e'] }
const files = { 'evals/files/a.csv': 'a', 'evals/beside.csv': 'b', 'evals/start.bundle': 'x' }

test.each<[string, string, string]>([
  ['evals\\files\\a.csv', 'evals/files/a.csv', '"evals\\files\\a.csv" is read as "evals/files/a.csv"'],
  ['evals\\files', 'evals/files', '"evals\\files" is read as "evals/files"'],
  ['.\\evals\\files\\a.csv', 'evals/files/a.csv', 'is read as "./evals/files/a.csv"'],
  ['files\\a.csv', 'files/a.csv', '"files\\a.csv" is read as "files/a.csv"'],
])('an input file %s', async (given, place, warning) => {
  const read = await loadCase({ ...base, files: [given] }, files)
  expect(read.case.files).toMatchObject([{ path: place }])
  expect(read.case.cannot_run).toBeNull()
  expect(read.warnings.join('\n')).toContain(warning)
})

test('a file whose own name has a backslash stays what it is', async () => {
  const read = await loadCase({ ...base, files: ['data\\a.csv'] }, { 'data\\a.csv': 'own', 'data/a.csv': 'other' })
  expect(read.case.files).toMatchObject([{ path: 'data\\a.csv', bytes: 3 }])
  expect(read.warnings).toEqual([])
})

test.each([
  ['evals\\none.csv', 'write / instead of \\'],
  ['C:\\Users\\me\\a.csv', "a path of another machine: put the file into the skill's folder"],
  ['..\\..\\a.csv', 'write / instead of \\'],
])('a missing input file %s keeps the case from running', async (given, reason) => {
  const read = await loadCase({ ...base, files: [given] }, files)
  expect(read.case.cannot_run).toContain(reason)
})

test('a git bundle and a file of hooks', async () => {
  const hooks = { 'evals/guard/hooks.json': '{"hooks":{}}' }
  const fields = { git: { bundle: 'evals\\start.bundle' }, environment: { hooks: 'evals\\guard\\hooks.json' } }
  const read = await loadCase({ ...base, ...fields }, { ...files, ...hooks })
  expect(read.case.cannot_run).toBeNull()
  expect(read.case.git).toMatchObject({ bundle: expect.stringMatching(/evals\/start\.bundle$/) })
  expect(read.warnings).toHaveLength(2)
})

test.each<[string, object, object]>([
  ['a path', { type: 'file_exists', path: 'out\\a.csv' }, { path: 'out/a.csv' }],
  ['a deeper path', { type: 'contains', value: 'x\\y', path: 'a\\b\\c.md' }, { path: 'a/b/c.md', value: 'x\\y' }],
  ['an absent file', { type: 'file_absent', path: 'tmp\\x' }, { path: 'tmp/x' }],
  ['a script', { type: 'script_executed', script: 'scripts\\sum.py' }, { script: 'scripts/sum.py' }],
  ['a file of the suite', { type: 'similarity', file: 'evals\\beside.csv', at_least: 1 }, { value: 'b' }],
])('%s of a check', async (_, check, read) => {
  const { cases, warnings } = await loadEvals({ skill_name: 's', evals: [{ ...base, checks: [check] }] }, files)
  expect(cases[0]?.checks).toMatchObject([read])
  expect(warnings.map(({ message }) => message).join()).toContain('is read as')
  expect(warnings[0]?.at).toMatch(/^\$\.evals\[0\]\.checks\[0\]\./)
})

test('an escape in a glob stays, with a warning', async () => {
  const checks = [{ type: 'file_exists', path: 'out\\*.csv' }]
  const { cases, warnings } = await loadEvals({ skill_name: 's', evals: [{ ...base, checks }] }, files)
  expect(cases[0]?.checks).toMatchObject([{ path: 'out\\*.csv' }])
  expect(warnings[0]?.message).toContain('between folders write / (out/*.csv)')
})

test('paths with / are read without a warning', async () => {
  const checks = [
    { type: 'regex', pattern: 'a\\d', path: 'out/a.csv' },
    { type: 'file_exists', path: '\\[x\\].md' },
  ]
  const { cases, warnings } = await loadEvals({ skill_name: 's', evals: [{ ...base, checks }] }, files)
  expect(cases[0]?.checks).toMatchObject(checks)
  expect(warnings).toEqual([])
})

test('the files of a reference', async () => {
  const reference = { files: { 'out\\a.csv': 'x\\y' } }
  const { cases } = await loadEvals({ skill_name: 's', evals: [{ ...base, reference }] }, files)
  expect(cases[0]?.reference).toEqual({ files: { 'out/a.csv': 'x\\y' } })
})
