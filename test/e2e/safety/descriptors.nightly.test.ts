/** A machine on which no more files may be open: one clear line, nothing is left behind, and what was finished is kept. */
import { chmodSync, existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import { fresh, makeSkill, whetstone } from '../program.ts'

const cases = [1, 2, 3, 4].map((id) => ({ id, prompt: 'task', checks: [{ type: 'contains', value: 'TIDY' }] }))

/** Holds its three pipes until all that start together have started. */
function slowAgent(): string {
  const file = path.join(fresh(), 'slow.sh')
  writeFileSync(file, '#!/bin/sh\ncat > /dev/null; sleep 2; echo TIDY\n')
  chmodSync(file, 0o755)
  return file
}

const marksIn = (folder: string) => readdirSync(folder).flatMap((name) => /[0-9a-f]{24}$/.exec(name)?.[0] ?? [])

test.each([
  [128, 60],
  [200, 90],
])(
  '%i descriptors for %i runs at once: ends with 3, one line and nothing left; with more it goes on',
  async (most, atOnce) => {
    const [workspace, tmp] = [path.join(fresh(), 'ws'), fresh()]
    const args = ['bench', makeSkill(cases), '--engine', `command:${slowAgent()}`, '--workspace', workspace]
    const bench = (shell?: string) =>
      whetstone([...args, '--runs', '12', '--concurrency', String(atOnce), '--sandbox', 'off', '--no-cache'], {
        env: { TMPDIR: tmp },
        ...(shell !== undefined && { shell }),
      })
    const end = await bench(`ulimit -n ${most}; exec "$0" "$@"`)
    expect(end.code, end.stderr.slice(-2000)).toBe(3)
    expect(end.stderr).toMatch(/^error: .*EMFILE.*\nhint: free the missing resource .*ulimit -a/m)
    expect(end.stderr).not.toMatch(/\n\s+at /)
    for (const mark of marksIn(tmp)) expect(await findMarkedProcesses(mark)).toEqual([])
    expect(readdirSync(tmp).filter((name) => name.startsWith('user-'))).toEqual([])
    const [folder = ''] = readdirSync(path.join(workspace, 'benchmarks'))
    const inside = readdirSync(path.join(workspace, 'benchmarks', folder))
    expect(inside.filter((name) => /^\.(lease|partial)/.test(name))).toEqual([])
    const again = await bench()
    expect(again.code, again.stderr.slice(-2000)).toBe(0)
    expect(readdirSync(path.join(workspace, 'benchmarks'))).toEqual([folder])
    expect(existsSync(path.join(workspace, 'benchmarks', folder, 'report.html'))).toBe(true)
  },
)
