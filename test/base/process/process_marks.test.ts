/** Processes are found by the mark that they carry now. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { findMarkedProcesses } from '../../../src/base/process/marked_processes.ts'
import { runMark } from '../../../src/base/process/process_marks.ts'
import { fresh } from '../../e2e/program.ts'

const linux = process.platform === 'linux'

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
    const { wait, open } = makeGate()
    await withShell(`${wait}; ${runMark}=late exec sleep 60`, async () => {
      expect(await findMarkedProcesses('late')).toEqual([])
      open()
      await expect.poll(() => findMarkedProcesses('late')).toHaveLength(1)
    })
  })
  test('forget one that has ended and that nobody waits for', async () => {
    const { wait, open } = makeGate()
    await withShell(`${runMark}=dead sh -c '${wait}' & exec sleep 60`, async () => {
      await expect.poll(() => findMarkedProcesses('dead')).not.toEqual([])
      open()
      await expect.poll(() => findMarkedProcesses('dead')).toEqual([])
    })
  })
})

/** What a shell does until `open()`. */
function makeGate() {
  const file = path.join(fresh(), 'gate')
  return { wait: `while [ ! -e ${file} ]; do sleep 0.02; done`, open: () => writeFileSync(file, '') }
}
