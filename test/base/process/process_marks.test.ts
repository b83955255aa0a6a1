/** Processes are found by the mark that they carry now. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import { runMark } from '../../../src/base/process/process_marks.ts'

const linux = process.platform === 'linux'

/** Looks every 50 ms while it may come to be true; gives whether it did. */
async function looked(mark: string, isThere: boolean, ms = 5000): Promise<boolean> {
  const end = performance.now() + ms
  while (performance.now() < end) {
    const found = await findMarkedProcesses(mark)
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
      expect(await findMarkedProcesses('late')).toEqual([])
      expect(await looked('late', true)).toBe(true)
    })
  })
  test('forget one that has ended and that nobody waits for', async () => {
    await withShell(`${runMark}=dead sleep 0.4 & exec sleep 60`, async () => {
      expect(await looked('dead', true)).toBe(true)
      expect(await looked('dead', false)).toBe(true)
    })
  })
})
