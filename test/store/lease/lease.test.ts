/** One process at a time writes into a benchmark: a living owner is never displaced, a dead one never in the way. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Lease, takeLease } from '../../../src/store/lease/lease.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'lease-test-'))
const beatMs = 40

/** Another process that holds the lease, or what it said when it could not. */
async function holder(folder: string) {
  const script = path.join(import.meta.dirname, '../../fixtures/holder.mjs')
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await once(child, 'exit')
  }
  return { said: String(said).trim(), pid: child.pid, end }
}

function leaseFiles(folder: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith('.lease-'))
}

async function held(folder: string, beat = beatMs): Promise<Lease> {
  const lease = await takeLease(folder, { beatMs: beat })
  if ('heldBy' in lease) throw new Error(`held by ${lease.heldBy.pid}`)
  return lease
}

/** The file of an owner on another machine. */
function stranger(folder: string, changes: object = {}): string {
  const owner = {
    pid: process.pid,
    start: '1',
    host: 'far-away',
    boot: 'b',
    space: null,
    since: '2026-01-01T00:00:00.000Z',
  }
  const file = path.join(folder, '.lease-00.json')
  writeFileSync(file, JSON.stringify({ ...owner, state: 'holding', ...changes }))
  return file
}

describe('on this host', () => {
  test('a second process is told who holds it', async () => {
    const folder = fresh()
    const other = await holder(folder)
    expect(await takeLease(folder, { beatMs })).toMatchObject({ heldBy: { pid: other.pid, state: 'holding' } })
    await other.end('SIGKILL')
  })
  test('it is released at the end', async () => {
    const folder = fresh()
    const other = await holder(folder)
    await other.end('SIGTERM')
    expect(leaseFiles(folder)).toEqual([])
    await (await held(folder))[Symbol.asyncDispose]()
    expect(leaseFiles(folder)).toEqual([])
  })
  test('one of a killed owner is taken over', async () => {
    const folder = fresh()
    await (await holder(folder)).end('SIGKILL')
    expect(leaseFiles(folder)).toHaveLength(1)
    await using _ = await held(folder)
    expect(leaseFiles(folder)).toHaveLength(1)
  })
  test('one of an earlier process with the same number is taken over', async () => {
    const folder = fresh()
    const beatOfAnHour = 3_600_000 // waiting for beats would run into the test's time limit
    await using _first = await held(folder, beatOfAnHour)
    const [name = ''] = leaseFiles(folder)
    const file = path.join(folder, name)
    writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), start: '1' }))
    await using _second = await held(folder, beatOfAnHour)
    expect(leaseFiles(folder)).not.toContain(name)
  })
  test('of many at once exactly one gets it', async () => {
    const folder = fresh()
    const all = await Promise.all(Array.from({ length: 8 }, () => takeLease(folder, { beatMs })))
    expect(all.filter((one) => !('heldBy' in one))).toHaveLength(1)
    expect(leaseFiles(folder)).toHaveLength(1)
  })
})

describe('on another host', () => {
  test('an owner that beats keeps it', async () => {
    const folder = fresh()
    const file = stranger(folder)
    const timer = setInterval(() => utimesSync(file, new Date(), new Date()), beatMs)
    expect(await takeLease(folder, { beatMs })).toMatchObject({ heldBy: { host: 'far-away' } })
    clearInterval(timer)
  })
  test('one that is silent for three beats loses it', async () => {
    const folder = fresh()
    const file = stranger(folder)
    await using _ = await held(folder)
    expect(leaseFiles(folder)).not.toContain(path.basename(file))
  })
  test('the loser learns of it at its next beat', async () => {
    const folder = fresh()
    await using lease = await held(folder)
    expect(lease.lost.aborted).toBe(false)
    for (const name of leaseFiles(folder)) rmSync(path.join(folder, name))
    await expect.poll(() => lease.lost.aborted).toBe(true)
  })
  test('the same name after another start of the machine says nothing of a process', async () => {
    const folder = fresh()
    await using first = await held(folder)
    const [name = ''] = leaseFiles(folder)
    const own = JSON.parse(readFileSync(path.join(folder, name), 'utf8'))
    await first[Symbol.asyncDispose]()
    stranger(folder, { ...own, boot: 'another' })
    await using _ = await held(folder)
  })
  test('a lease that is cut off is watched like one', async () => {
    const folder = fresh()
    writeFileSync(path.join(folder, '.lease-00.json'), '{"pid": 1')
    await using _ = await held(folder)
    expect(leaseFiles(folder)).toHaveLength(1)
  })
})
