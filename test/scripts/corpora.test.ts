/** `npm run corpora`: what its table says of files that load, lack inputs or are refused. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'

const script = path.join(import.meta.dirname, '../../scripts/corpora.mjs')

test('each file has its line, and the last line counts them', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'corpora-test-'))
  mkdirSync(path.join(folder, 'deep'))
  const files: Record<string, unknown> = {
    'a.json': [
      { prompt: 'p', expectations: ['e'] },
      { prompt: 'p', expected_output: 'o' },
      { prompt: 'p' },
      { prompt: '' },
    ],
    'deep/b.json': { evals: [{ prompt: 'p', files: ['gone.csv'], expectations: ['e'] }] },
    'c.json': { evals: [] },
  }
  for (const [name, value] of Object.entries(files)) writeFileSync(path.join(folder, name), JSON.stringify(value))
  const lines = execFileSync(process.execPath, [script, folder], { encoding: 'utf8' }).trim().split('\n')
  expect(lines.map((line) => line.trim().replaceAll(/\s+/g, ' '))).toEqual([
    'cases runnable no input file input outside no prompt other ungraded derived judged checks',
    'a.json 4 3 0 0 1 0 2 1 2 0',
    'c.json refused: evals.json: $.evals is an empty list',
    'deep/b.json 1 0 1 0 0 0 0 0 1 0',
    '',
    'evals.json 5 3 1 0 1 0 2 1 3 0',
    '3 suites: 1 load with a case that can run, 1 only lack input files that are not in DIR, 0 have no case that can run, 1 are refused',
  ])
})

test('without a folder it says what it needs', () => {
  const { status, stderr } = spawnSync(process.execPath, [script], { encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stderr).toContain('npm run corpora -- DIR')
})
