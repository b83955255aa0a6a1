/** A folder that is far too large for a benchmark is refused before it fills the memory. */
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { walkTree } from '../../../src/store/foreign/tree.ts'
import { fresh } from '../../e2e/program.ts'

test('too many entries are refused, hidden folders and packages do not count', async () => {
  const root = fresh()
  for (const folder of ['a', '.git', 'node_modules']) mkdirSync(path.join(root, folder))
  for (const file of ['a/1', 'a/2', '.git/3', 'node_modules/4']) writeFileSync(path.join(root, file), '')
  expect([...(await walkTree(root, 3)).names]).toEqual(['a/1', 'a/2'])
  await expect(walkTree(root, 2)).rejects.toThrow(`${root}: more than 2 files and folders`)
})
