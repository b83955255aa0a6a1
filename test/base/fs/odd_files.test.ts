/** A pipe where a file is wanted is told, and not waited for. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { UserError } from '../../../src/base/errors/error.ts'
import { copyWalk, hashFile } from '../../../src/base/fs/files.ts'
import { readText } from '../../../src/base/json/json.ts'
import { runMain } from '../../cli/run_main.ts'

const root = mkdtempSync(path.join(tmpdir(), 'odd-'))
const pipe = path.join(root, 'pipe')
execFileSync('mkfifo', [pipe])

test.each([
  ['reads', () => readText(pipe)],
  ['hashes', () => hashFile(pipe)],
  ['copies', () => copyWalk([{ path: 'x', source: pipe, bytes: 0 }], path.join(root, 'copy'))],
])('nobody %s it', async (_, use) => {
  await expect(use()).rejects.toThrow(UserError)
  await expect(use()).rejects.toThrow(`${pipe}: expected a file, found a pipe`)
})
test('nor a device', async () =>
  expect(readText('/dev/zero')).rejects.toThrow('/dev/zero: expected a file, found a device'))
test('what a person sends on stdin is read', () => {
  const script = `import { readText } from '${path.resolve('dist/src/base/json/json.js')}'; console.log(await readText('/dev/stdin'))`
  const through = ['-c', 'echo hello | "$0" --input-type=module -e "$1"', process.execPath, script]
  expect(execFileSync('sh', through, { encoding: 'utf8' })).toBe('hello\n\n')
})

function skillWith(name: string): string {
  const skill = path.join(mkdtempSync(path.join(root, 's-')), 'tidy')
  mkdirSync(path.join(skill, 'evals'), { recursive: true })
  const text = '---\nname: tidy\ndescription: d\n---\n'
  if (name !== 'SKILL.md') writeFileSync(path.join(skill, 'SKILL.md'), text)
  const suite = { skill_name: 'tidy', evals: [{ id: 1, prompt: 'p', expectations: ['e'] }] }
  if (name !== 'evals/evals.json') writeFileSync(path.join(skill, 'evals/evals.json'), JSON.stringify(suite))
  execFileSync('mkfifo', [path.join(skill, name)])
  return skill
}

test.each([
  ['check', 'SKILL.md', []],
  ['check', 'evals/evals.json', []],
  ['bench', 'SKILL.md', ['--dry-run']],
  ['bench', 'evals/evals.json', ['--dry-run']],
  ['convert', 'evals/evals.json', []],
])('%s says that %s is a pipe, and ends', async (command, name, flags) => {
  const skill = skillWith(name)
  const end = await runMain([command, command === 'convert' ? path.join(skill, name) : skill, ...flags])
  expect(`${end.stdout}${end.stderr}`).toContain('expected a file, found a pipe')
  expect([1, 2]).toContain(end.code)
})
