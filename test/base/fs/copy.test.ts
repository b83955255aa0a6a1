/** Copies of what an agent may have made. */
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { copyWalk, walk } from '../../../src/base/fs/files.ts'
import { fresh } from '../../e2e/program.ts'

test.each([10, 300_000])('of %i bytes run as who starts them', async (bytes) => {
  const [from, to] = [fresh(), fresh()]
  for (const [name, mode] of [
    ['setuid', 0o4755],
    ['setgid', 0o2755],
    ['plain', 0o644],
  ] as const) {
    writeFileSync(path.join(from, name), 'x'.repeat(bytes))
    chmodSync(path.join(from, name), mode)
  }
  await copyWalk((await walk(from)).files, to)
  const modes = ['setuid', 'setgid', 'plain'].map((name) => statSync(path.join(to, name)).mode & 0o7777)
  expect(modes).toEqual([0o755, 0o755, 0o644])
  expect(readFileSync(path.join(to, 'setuid'), 'utf8')).toHaveLength(bytes)
})
