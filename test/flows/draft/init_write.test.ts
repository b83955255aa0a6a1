/** Drafts are written whole or not at all, and never over a file that came to be there. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { writeDrafts } from '../../../src/flows/draft/write_drafts.ts'

const evals = [{ id: 1, prompt: 'p', expectations: ['e'], files: ['evals/files/a.txt'], review: 'draft' }]
const suite = { skill_name: 'tidy', evals }
const files = [
  { path: 'evals/files/a.txt', content: 'a' },
  { path: 'evals/files/b/c.txt', content: 'c' },
]

function place() {
  const root = mkdtempSync(path.join(tmpdir(), 'drafts-'))
  const at = (name: string) => path.join(root, name)
  mkdirSync(at('evals/files/b'), { recursive: true })
  return { root, at, file: at('evals/evals.json') }
}

test('all of it', async () => {
  const { root, at, file } = place()
  await writeDrafts({ file, root, suite }, files)
  expect(readFileSync(at('evals/files/b/c.txt'), 'utf8')).toBe('c')
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(suite)
})

test.each(['evals/files/b/c.txt', 'evals/evals.json'])('nothing of it where %s came to be there', async (name) => {
  const { root, at, file } = place()
  writeFileSync(at(name), 'mine')
  await expect(writeDrafts({ file, root, suite }, files)).rejects.toThrow('nothing was written')
  expect(readFileSync(at(name), 'utf8')).toBe('mine')
  expect(existsSync(at('evals/files/a.txt'))).toBe(false)
  expect(existsSync(file)).toBe(name === 'evals/evals.json')
})
