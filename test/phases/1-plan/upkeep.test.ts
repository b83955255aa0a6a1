/** The owners of a case: its own, else the file's; the forms of other tools are left alone. */
import { expect, test } from 'vitest'
import { loadEvals } from './folder.ts'

const base = { id: 1, prompt: 'p', expectations: ['e'] }

test.each<[string, object, object, string[] | undefined]>([
  ['none', {}, {}, undefined],
  ['of the case', {}, { owner: 'a' }, ['a']],
  ['several of the case', {}, { owners: ['a', 'b', 'a'] }, ['a', 'b']],
  ['of the file', { owner: 'x' }, {}, ['x']],
  ['several of the file', { owners: ['x', 'y'] }, {}, ['x', 'y']],
  ['the case overrides the file', { owners: ['x'] }, { owner: 'a' }, ['a']],
  ['both fields', {}, { owner: 'a', owners: ['b'] }, ['a', 'b']],
  ['an object of another tool', {}, { owner: { name: 'a' } }, undefined],
  ['an empty list', { owner: 'x' }, { owners: [] }, ['x']],
])('%s', async (_, ofFile, ofCase, owners) => {
  const { cases } = await loadEvals({ skill_name: 's', ...ofFile, evals: [{ ...base, ...ofCase }] })
  expect(cases[0]?.owners).toEqual(owners)
  expect(cases[0]?.cannot_run).toBeNull()
})
