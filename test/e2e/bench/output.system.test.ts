/** Standard output that can't be written is told in a line, and by the exit code. */
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { agent, fresh, makeSkill, whetstone } from '../program.ts'

const full = { shell: 'exec "$0" "$@" >/dev/full' }
const said = "error: standard output can't be written: ENOSPC: no space left on device, write\n"

describe.runIf(existsSync('/dev/full'))('where standard output is full', () => {
  test.each([['--help'], ['--version'], ['bench --help'], ['practice --help']])('%s ends with 3', async (line) => {
    const { code, stderr } = await whetstone(line.split(' '), full)
    expect({ code, stderr }).toEqual({ code: 3, stderr: said })
  })
  test('a bench ends as it would, with what it made', async () => {
    const workspace = path.join(fresh(), 'ws')
    const skill = makeSkill([{ id: 1, prompt: 'x', checks: [{ type: 'contains', value: 'TIDY' }] }])
    const args = ['bench', skill, '--engine', agent('tidy.mjs'), '--runs', '1', '--workspace', workspace, '--json']
    const { code, stderr } = await whetstone(args, full)
    expect({ code, said: stderr.includes(said), hasStack: /^ {4}at /m.test(stderr) }).toEqual({
      ...{ code: 3, said: true, hasStack: false },
    })
    const [benchmark = ''] = readdirSync(path.join(workspace, 'benchmarks'))
    expect(existsSync(path.join(workspace, 'benchmarks', benchmark, 'benchmark.json'))).toBe(true)
  })
  test('who reads no further is no failure', async () => {
    const { code, stderr } = await whetstone(['--help'], { shell: 'set -o pipefail; "$0" "$@" | true' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})
