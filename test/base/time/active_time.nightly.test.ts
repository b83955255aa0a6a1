/** Active time leaves out gaps in which the process was stopped; what waits in a pipe is read before a limit rings. */
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { activeNow, suspendedMs } from '../../../src/base/time/active_time.ts'

const children = new Set<ReturnType<typeof spawn>>()
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
})

/** A process with a plain timer and limits of active time, and what it says, line by line. */
async function startLimits(limitMs: number) {
  const script = path.join(import.meta.dirname, '../../fixtures/two_limits.mjs')
  const child = spawn(process.execPath, [script, String(limitMs)], { stdio: ['pipe', 'pipe', 'inherit'] })
  children.add(child)
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const next = async () => String((await lines.next()).value)
  expect(await next()).toBe('ready')
  return { child, next }
}

test('a stopped process: its limits go on where they were; control: a plain timer rings as it wakes', async () => {
  const { child, next } = await startLimits(4000)
  await sleep(600)
  child.kill('SIGSTOP')
  await sleep(4500)
  child.kill('SIGCONT')
  expect(await next()).toBe('plain')
  await sleep(1000)
  child.stdin.write('after\n')
  expect(await next()).toBe('after: plain')
  expect([await next(), await next()].sort()).toEqual(['active', 'limit'])
})

test('what arrived in a gap in which a limit ended is read before it rings; control: a plain timer rings before it', async () => {
  const { child, next } = await startLimits(1500)
  child.stdin.write('block 3000\n')
  expect(await next()).toBe('block 3000: none')
  child.stdin.write('arrived\n')
  expect(await next()).toBe('plain')
  expect(await next()).toBe('arrived: plain')
  expect([await next(), await next()].sort()).toEqual(['active', 'limit'])
})

test('work of our own that blocks the process is no gap', { timeout: 300_000 }, async () => {
  activeNow()
  await sleep(300)
  const before = { suspended: suspendedMs(), active: activeNow() }
  const end = process.cpuUsage().user + 1_500_000
  while (process.cpuUsage().user < end);
  expect(activeNow() - before.active).toBeGreaterThan(1000)
})
