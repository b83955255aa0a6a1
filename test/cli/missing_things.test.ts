/** A place or a variable that a flag names and that does not exist is said before anything starts. */
import { mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { fresh, makeSkill } from '../e2e/program.ts'
import { runMain, tidyAgent } from './run_main.ts'

const skill = makeSkill([{ id: 1, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }])
const bench = ['bench', skill, '--engine', tidyAgent, '--runs', '1', '--no-cache']
const missing = path.join(fresh(), 'nope')

describe('--allow-read', () => {
  test.each<[string, readonly string[]]>([
    ['bench', bench],
    ['eval', ['eval', skill, '--engine', tidyAgent]],
    ['check', ['check', skill]],
  ])('of a missing place ends %s with 2, and names it', async (_, args) => {
    const end = await runMain([...args, '--allow-read', tmpdir(), '--allow-read', missing])
    expect(end.stderr).toContain(`--allow-read "${missing}": no such file or folder`)
    expect(end.code).toBe(2)
  })
  test('of a link to nothing says so', async () => {
    const link = path.join(mkdtempSync(path.join(tmpdir(), 'link-')), 'link')
    symlinkSync(missing, link)
    const end = await runMain([...bench, '--dry-run', '--allow-read', link])
    expect([end.code, end.stderr]).toEqual([
      2,
      expect.stringContaining(`--allow-read "${link}": a link to ${missing}, which is not there`),
    ])
  })
  test('control: a file and a folder that are there are taken', async () => {
    const args = ['--dry-run', '--allow-read', path.join(skill, 'SKILL.md'), '--allow-read', tmpdir()]
    expect((await runMain([...bench, ...args])).code).toBe(0)
  })
})

describe('--pass-env', () => {
  const line = '--pass-env NOPE_TODAY: not set here'
  test.each<[string, readonly string[]]>([
    ['bench', [...bench, '--workspace', path.join(fresh(), 'ws')]],
    ['eval --dry-run', ['eval', skill, '--engine', tidyAgent, '--dry-run']],
  ])('of a variable that is not set is said by %s, and starts all the same', async (_, args) => {
    const { code, stdout, stderr } = await runMain([...args, '--pass-env', 'NOPE_TODAY', '--pass-env', 'YES_TODAY'], {
      env: { YES_TODAY: '' },
    })
    expect(stdout + stderr).toContain(line)
    expect(stdout + stderr).not.toContain('YES_TODAY')
    expect(code, stderr).toBe(0)
  })
  test('control: one that is set is not mentioned', async () => {
    const end = await runMain([...bench, '--dry-run', '--pass-env', 'NOPE_TODAY'], { env: { NOPE_TODAY: 'x' } })
    expect(end.stdout + end.stderr).not.toContain('NOPE_TODAY')
  })
})

/** Commands that read a folder. The only one here is `found`, which is empty. */
const readers = ['grade', 'view', 'aggregate', 'audit', 'compare', 'test', 'improve', 'bench']

describe('a folder that', () => {
  const cwd = fresh()
  mkdirSync(path.join(cwd, 'found'))
  test.each(readers)('does not exist: %s names the nearest one', async (command) => {
    const end = await runMain([command, 'fonud'], { cwd })
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/error: .*no such folder/)])
    expect(end.stderr).toMatch(/hint: did you mean ".*found"\?/)
  })
  test.each(readers)('does not exist and is like no other: %s gives a hint', async (command) => {
    const end = await runMain([command, 'elsewhere'], { cwd })
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/hint: (pass|run|give) .+/)])
  })
  test.each(['grade', 'compare'])('is not a benchmark: %s says so', async (command) => {
    const end = await runMain([command, 'found'], { cwd })
    expect([end.code, end.stderr]).toEqual([
      2,
      expect.stringContaining('is not a benchmark of Whetstone: plan.json is missing'),
    ])
  })
})
