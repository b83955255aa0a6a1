/** Standard output that can't be written is told in a line, and by the exit code. */
import { existsSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { tidyAgent } from '../../cli/run_main.ts'
import { fresh, whetstone } from '../program.ts'
import { newestIn, tidySkill } from './benched.ts'

const full = { shell: 'exec "$0" "$@" >/dev/full' }
const said = "error: standard output can't be written: ENOSPC: no space left on device, write\n"

describe.runIf(existsSync('/dev/full'))('where standard output is full', () => {
  test('--help ends with 3', async () => {
    expect(await whetstone(['--help'], full)).toMatchObject({ code: 3, stderr: said })
  })
  test('a bench ends as it would, with what it made', async () => {
    const workspace = path.join(fresh(), 'ws')
    const how = ['--engine', tidyAgent, '--runs', '1', '--workspace', workspace, '--json', '--sandbox', 'off']
    const { code, stderr } = await whetstone(['bench', tidySkill(1), ...how], full)
    expect([code, stderr]).toEqual([3, expect.stringContaining(said)])
    expect(stderr).not.toMatch(/^ {4}at /m)
    expect(newestIn(workspace).result.complete).toBe(true)
  })
  test('who reads no further is no failure', async () => {
    const { code, stderr } = await whetstone(['--help'], { shell: 'set -o pipefail; "$0" "$@" | true' })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})
