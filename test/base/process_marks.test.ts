/** What looks remember of processes never hides one that carries a mark now. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { runMark } from '../../src/base/process_marks.ts'
import { markedProcesses } from '../../src/base/processes.ts'
import { needs } from '../require.ts'

const linux = process.platform === 'linux'
const own = ['--user', '--map-root-user', '--pid', '--fork', '--mount-proc']
const canUnshare = linux && spawnSync('unshare', [...own, 'true']).status === 0

/** Looks every 50 ms while it may come to be true; gives whether it did. */
async function looked(mark: string, isThere: boolean, ms = 5000): Promise<boolean> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    const found = await markedProcesses(mark)
    if (found.length > 0 === isThere) return true
    await sleep(50)
  }
  return false
}

async function withShell(script: string, use: () => Promise<void>): Promise<void> {
  const child = spawn('sh', ['-c', script], { env: { PATH: process.env.PATH }, stdio: 'ignore', detached: true })
  try {
    await use()
  } finally {
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  }
}

describe.runIf(linux)('looks at processes', () => {
  test('find one that was looked at before it had the mark', async () => {
    await withShell(`sleep 0.4; ${runMark}=late exec sleep 60`, async () => {
      expect(await markedProcesses('late')).toEqual([])
      expect(await looked('late', true)).toBe(true)
    })
  })
  test('find one that was believed to have none', async () => {
    await withShell(`sleep 1.5; ${runMark}=later exec sleep 60`, async () => {
      expect(await looked('later', true)).toBe(true)
    })
  })
  test('forget one that has ended and that nobody waits for', async () => {
    await withShell(`${runMark}=dead sleep 0.4 & exec sleep 60`, async () => {
      expect(await looked('dead', true)).toBe(true)
      expect(await looked('dead', false)).toBe(true)
    })
  })
})

needs(
  'a PID namespace of its own',
  !linux || canUnshare,
  'install util-linux, allow user namespaces',
)('a number given again', () => {
  test.runIf(linux)('is looked at anew, whether the count started again or came to it', () => {
    const script = path.join(import.meta.dirname, '../fixtures/number_again.mjs')
    const said = execFileSync('unshare', [...own, process.execPath, script], { encoding: 'utf8' })
    const again = { isSame: true, isFound: true }
    expect(JSON.parse(said)).toEqual({ startedAnew: again, reached: again })
  })
})
