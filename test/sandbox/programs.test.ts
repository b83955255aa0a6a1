/** What of a program a sandbox shows, and where a program is looked for. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findCommandParts, findOnPath } from '../../src/base/sandbox/programs.ts'
import { fresh } from '../e2e/program.ts'

test.each([
  ['tool/bin/run', 'tool'],
  ['tool/lib/run', 'tool/lib'],
  ['.local/bin/run', '.local/bin'],
])('of %s: %s', async (name, shown) => {
  const file = path.join(fresh(), name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, '')
  expect((await findCommandParts([file]))[0]).toBe(path.join(file.slice(0, -name.length), shown))
})

test('a program is found in absolute folders of PATH only', async () => {
  const folder = fresh()
  writeFileSync(path.join(folder, 'run'), '')
  chmodSync(path.join(folder, 'run'), 0o755)
  expect(await findOnPath('run', path.relative(process.cwd(), folder))).toBeNull()
  expect(await findOnPath('run', `bin:${folder}`)).toBe(path.join(folder, 'run'))
})
