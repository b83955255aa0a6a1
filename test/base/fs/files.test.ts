/** What an agent may have made is walked through, hashed and copied. */
import { chmodSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { copyWalk, hashWalk, walk } from '../../../src/base/fs/files.ts'
import { fresh } from '../../e2e/program.ts'

test.each([10, 300_000])('copies of %i bytes run as who starts them', async (bytes) => {
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

describe('walk', () => {
  const root = fresh()
  mkdirSync(path.join(root, 'evals'))
  mkdirSync(path.join(root, 'docs'))
  writeFileSync(path.join(root, 'evals/key.json'), 'secret')
  writeFileSync(path.join(root, 'docs/a.md'), 'a')
  symlinkSync('docs/a.md', path.join(root, 'link.md'))
  symlinkSync('/etc/hostname', path.join(root, 'out'))
  symlinkSync('evals', path.join(root, 'sneaky'))
  symlinkSync('.', path.join(root, 'loop'))
  symlinkSync('nowhere', path.join(root, 'broken'))
  const skip = (relative: string) => relative === 'evals'

  test('gives files, links inside resolved, links out, into skipped parts, in circles and broken ones left out', async () => {
    const found = await walk(root, { skip })
    expect(found.files.map((file) => file.path)).toEqual(['docs/a.md', 'link.md'])
    expect(found.leftOut.map((one) => one.path).sort()).toEqual(['broken', 'loop', 'out', 'sneaky'])
  })
  test('never follows links when told so', async () => {
    expect((await walk(root, { skip, links: 'never' })).files.map((file) => file.path)).toEqual(['docs/a.md'])
  })
  test('hashes names and contents', async () => {
    const before = await hashWalk((await walk(root, { skip })).files)
    writeFileSync(path.join(root, 'docs/a.md'), 'b')
    expect(await hashWalk((await walk(root, { skip })).files)).not.toBe(before)
  })
})
