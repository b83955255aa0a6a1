/** The closing line of `.ci/run`: sums what ran, and never says `0 failed` of what failed. */
import { execFileSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'
import { folderOf } from '../phases/1-plan/folder.ts'

const script = path.join(import.meta.dirname, '../../scripts/closing_line.mjs')
const summary = (text: string) =>
  `\u001b[2m Test Files \u001b[22m 2 passed\n\u001b[2m      Tests \u001b[22m ${text}\nDuration 1s\n`
const files = {
  check: summary('\u001b[1m\u001b[32m70 passed\u001b[39m\u001b[22m\u001b[90m (70)\u001b[39m'),
  slow: summary('1 failed | 9 passed | 2 skipped (12)'),
  two: summary('5 passed (5)') + summary('1 failed | 2 passed (3)'),
  lint: 'a mistake\n',
}

test.each([
  [[], ['check'], '70 passed, 0 failed, 0 skipped'],
  [[], ['two'], '7 passed, 1 failed, 0 skipped'],
  [[], ['check', 'slow'], '79 passed, 1 failed, 2 skipped'],
  [['--status', '2'], ['lint'], '0 passed, 1 failed, 0 skipped'],
])('%j of %j', (flags, names, line) => {
  const logs = folderOf(files)
  const said = execFileSync(process.execPath, [script, ...flags, ...names.map((name) => path.join(logs, name))])
  expect(String(said)).toBe(`${line}\n`)
})
