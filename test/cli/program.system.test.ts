/** What of the command line only a process of its own shows: its folder, language and exit code, a reader that goes away. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { agent, fresh, makeSkill, whetstone } from '../e2e/program.ts'

const simple = [{ id: 1, name: 'first', prompt: 'x', checks: [{ type: 'contains', value: 'TIDY' }] }]
const command = ['--engine', agent('tidy.mjs')]

test('in a folder that was deleted: exit 2, and what to do', async () => {
  const cwd = fresh()
  const bin = path.join(import.meta.dirname, '../../dist/program/bin.js')
  const script = `rmdir "$PWD"; exec "${process.execPath}" "${bin}" check`
  const { status, stderr } = spawnSync('sh', ['-c', script], { cwd, encoding: 'utf8' })
  expect([status, stderr]).toEqual([
    2,
    'error: the current folder no longer exists\nhint: change to a folder that exists\n',
  ])
})
test('--version is the version', async () => {
  const { version } = JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8'))
  expect((await whetstone(['--version'])).stdout).toBe(`${version}\n`)
})
test.each(['de_DE.UTF-8', 'tr_TR.UTF-8', 'C'])('and messages are in English under %s', async (language) => {
  const { stderr, code } = await whetstone(['bench', '--nix'], { env: { LC_ALL: language, LANG: language } })
  expect([code, stderr]).toEqual([2, 'error: bench needs <skill..>\nhint: see whetstone bench --help\n'])
})
test('goes on where the reader of its output has gone', async () => {
  const workspace = path.join(fresh(), 'ws')
  const args = ['bench', makeSkill(simple), ...command, '--runs', '1', '--json', '--workspace', workspace]
  const end = await whetstone(args, { started: (child) => child.stdout?.destroy() })
  expect(end).toMatchObject({ code: 0, stderr: '' })
  expect(readdirSync(path.join(workspace, 'benchmarks'))).toHaveLength(1)
})
