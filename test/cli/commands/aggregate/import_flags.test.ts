/** The flags of `aggregate --from`: what they mean, and every slip. */
import { expect, test } from 'vitest'
import { readImportWish } from '../../../../src/cli/commands/aggregate/import_flags.ts'

const plain = { from: 'csv', output: '/tmp/new', force: false } as const

test('columns by their use; + joins several', () => {
  const columns = ['case=task', 'configuration=agent+model']
  expect(readImportWish({ ...plain, columns })).toEqual({
    from: 'csv',
    columns: { case: ['task'], configuration: ['agent', 'model'] },
    target: '/tmp/new',
  })
  expect(readImportWish({ force: false })).toBeNull()
})

test.each<[string, object, string]>([
  ['columns alone', { from: undefined, columns: ['case=a'] }, '--columns without --from'],
  ['no folder', { output: undefined }, '--from without --output'],
  ['with --to', { to: 'agentskills' }, '--from with --to'],
  ['with --force', { force: true }, '--from with --force'],
  ['no equals sign', { columns: ['score'] }, 'not of the form use=name'],
  ['an unknown use', { columns: ['scor=x'] }, '"scor" is not a use'],
  ['a use twice', { columns: ['score=a', 'score=b'] }, 'score is named twice'],
])('%s is refused', (_what, wrong, message) => {
  expect(() => readImportWish({ ...plain, ...wrong })).toThrow(message)
})
