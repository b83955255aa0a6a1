/** What an agent may have made is walked through, hashed and copied; a pipe in place of a file is an error and does not block. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { UserError } from '../../../src/base/errors/error.ts'
import { copyWalk, hashFile, hashWalk, walk } from '../../../src/base/fs/files.ts'
import { readText } from '../../../src/base/json/json.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh } from '../../e2e/program.ts'
import { skillWith } from '../../phases/1-plan/folder.ts'

test.each([10, 300_000])('copies of %i bytes run as who starts them', async (bytes) => {
  const [from, to] = [fresh(), fresh()]
  for (const [name, mode] of [
    ['setuid', 0o4755],
    ['setgid', 0o2755],
    ['plain', 0o644],
    ['closed', process.getuid?.() === 0 ? 0o000 : 0o600], // only root reads it
  ] as const) {
    writeFileSync(path.join(from, name), 'x'.repeat(bytes))
    chmodSync(path.join(from, name), mode)
  }
  await copyWalk((await walk(from)).files, to)
  const modes = ['setuid', 'setgid', 'plain', 'closed'].map((name) => statSync(path.join(to, name)).mode & 0o7777)
  expect(modes).toEqual([0o755, 0o755, 0o644, process.getuid?.() === 0 ? 0o400 : 0o600])
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

const odd = fresh()
const pipe = path.join(odd, 'pipe')
execFileSync('mkfifo', [pipe])

test.each([
  ['read', () => readText(pipe)],
  ['hash', () => hashFile(pipe)],
  ['copy', () => copyWalk([{ path: 'x', source: pipe, bytes: 0 }], path.join(odd, 'copy'))],
])('refuses to %s a pipe', async (_, use) => {
  await expect(use()).rejects.toThrow(UserError)
  await expect(use()).rejects.toThrow(`${pipe}: expected a file, found a pipe`)
})
test('refuses to read a device', async () =>
  expect(readText('/dev/zero')).rejects.toThrow('/dev/zero: expected a file, found a device'))
test('what a person sends on stdin is read', () => {
  const script = `import { readText } from '${path.resolve('dist/src/base/json/json.js')}'; console.log(await readText('/dev/stdin'))`
  const through = ['-c', 'echo hello | "$0" --input-type=module -e "$1"', process.execPath, script]
  expect(execFileSync('sh', through, { encoding: 'utf8' })).toBe('hello\n\n')
})

test.each(['SKILL.md', 'evals/evals.json'])('bench says that %s is a pipe, and ends', async (name) => {
  const skill = skillWith([{ id: 1, prompt: 'p', expectations: ['e'] }])
  rmSync(path.join(skill, name))
  execFileSync('mkfifo', [path.join(skill, name)])
  const end = await runMain(['bench', skill, '--dry-run'])
  expect(`${end.stdout}${end.stderr}`).toContain('expected a file, found a pipe')
  expect([1, 2]).toContain(end.code)
})
