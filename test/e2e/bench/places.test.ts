/** Places that can't be written to, or above which agents would find instructions: one clear line before anything is paid for, and no report that contradicts another. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain, tidyAgent } from '../../cli/run_main.ts'
import { fresh } from '../program.ts'
import { bench, newestIn, says, tidySkill, withModel } from './benched.ts'

test.each([
  ['a place below a file', path.join(tidySkill(1), 'SKILL.md')],
  ['a place of the system', '/sys'],
  ['a place below which Node would look for a folder without end', '/proc/nowhere'],
])('a workspace that is %s ends with 2 before anything is paid for', async (_, folder) => {
  await withModel(says, async (env, server) => {
    const end = await bench({ workspace: path.join(folder, 'ws'), env })
    expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/^error: .*\nhint: .*--workspace/m)])
    expect(server.requests.filter(({ path: place }) => place === '/v1/messages')).toEqual([])
  })
})

test('a benchmark.json that can not be written leaves no page beside it', async () => {
  const { workspace } = await bench({ engine: tidyAgent }, '--runs', '1', '--sandbox', 'off')
  const { folder } = newestIn(workspace)
  const [report, file] = [path.join(folder, 'report.html'), path.join(folder, 'benchmark.json')]
  for (const one of [report, file]) rmSync(one)
  mkdirSync(path.join(file, 'in the way'), { recursive: true })
  const end = await runMain(['aggregate', folder])
  expect([end.code, end.stderr]).toEqual([2, expect.stringMatching(/^error: .*benchmark\.json/m)])
  expect(end.stderr).not.toMatch(/\n\s+at /)
  expect(existsSync(report)).toBe(false)
  // control: nothing in the way
  rmSync(file, { recursive: true })
  expect((await runMain(['aggregate', folder])).code).toBe(0)
  expect(existsSync(report)).toBe(true)
})

test('instructions above the temporary folder are no matter for an engine that does not look there, and stop one that may', async () => {
  const folder = fresh()
  mkdirSync(path.join(folder, 'tmp'))
  writeFileSync(path.join(folder, 'CLAUDE.md'), 'Be brief.')
  await withModel(says, async (keys) => {
    const env = { ...keys, TMPDIR: path.join(folder, 'tmp') }
    const ours = await bench({ env }, '--runs', '1')
    expect(ours.code, ours.stderr).toBe(0)
    const other = await bench({ engine: 'command:true', env }, '--runs', '1')
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('CLAUDE.md') })
  })
})
