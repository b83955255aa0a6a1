/** Processes side by side that write a cache or take a lease, and are killed: never half a run, never two owners. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type { Damage } from '../../src/store/artefacts/damage.ts'
import { entryPaths, openCache } from '../../src/store/cache/cache.ts'
import { readCachedRun } from '../../src/store/cache/cache_run.ts'
import { takeLease } from '../../src/store/lease/lease.ts'
import { openSignedCache } from '../fixtures/signed_cache.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'races-'))

function runFolder(): string {
  const folder = path.join(fresh(), 'run-1')
  mkdirSync(path.join(folder, 'outputs'), { recursive: true })
  writeFileSync(path.join(folder, 'run.json'), '{}')
  writeFileSync(path.join(folder, 'outputs/large.txt'), 'x'.repeat(300_000))
  return folder
}

const keeper = path.join(import.meta.dirname, '../fixtures/cache_keeper.mjs')
async function startKeeper(args: readonly string[]) {
  const child = spawn(process.execPath, [keeper, ...args], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout.setEncoding('utf8'), 'data')
  return child
}
async function end(child: Awaited<ReturnType<typeof startKeeper>>) {
  const closed = once(child, 'close')
  child.kill('SIGKILL')
  await closed
}

describe('processes that keep runs in a cache', () => {
  test('two that replace the same entries, and one that reads: never half a run; SIGKILL leaves none either', async () => {
    const [workspace, folder] = [fresh(), runFolder()]
    const children = [await startKeeper([workspace, folder, '3']), await startKeeper([workspace, folder, '3'])]
    const cache = await openSignedCache(workspace)
    const damages: Damage[] = []
    let hits = 0
    for (let at = 0; hits < 200; at += 1) {
      const run = await readCachedRun(cache, String(at % 3), (damage) => damages.push(damage))
      if (run !== null) hits += 1
      if (at % 50 === 0) await sleep(5)
    }
    for (const child of children) await end(child)
    for (const key of ['0', '1', '2']) await readCachedRun(cache, key, (damage) => damages.push(damage))
    expect(damages).toEqual([])
    await openCache(workspace)
    expect(readdirSync(cache.temporary)).toEqual([])
  })
  test('killed at many moments: what is there is whole, what was on the way is cleared', async () => {
    const [workspace, folder] = [fresh(), runFolder()]
    const damages: Damage[] = []
    for (const wait of [1, 3, 7, 12, 20, 35]) {
      const child = await startKeeper([workspace, folder, '2'])
      await sleep(wait)
      await end(child)
      const cache = await openSignedCache(workspace)
      expect(readdirSync(cache.temporary)).toEqual([])
      for (const key of readdirSync(cache.runs)) await readCachedRun(cache, key, (damage) => damages.push(damage))
      expect(damages).toEqual([])
    }
  })
  test('negative control: an entry written in its place is seen torn', async () => {
    const workspace = fresh()
    const child = await startKeeper([workspace, runFolder(), '1', 'torn'])
    const cache = await openSignedCache(workspace)
    while (!existsSync(entryPaths(cache, 'torn').entry)) await sleep(5)
    await end(child)
    const damages: Damage[] = []
    await readCachedRun(cache, 'torn', (damage) => damages.push(damage))
    expect(damages).toHaveLength(1)
  })
})

/** Another process that holds the lease, or what it said when it could not. */
async function holder(folder: string) {
  const script = path.join(import.meta.dirname, '../fixtures/holder.mjs')
  const child = spawn(process.execPath, [script, folder], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [said] = await once(child.stdout.setEncoding('utf8'), 'data')
  const end = async (signal: NodeJS.Signals) => {
    child.kill(signal)
    await once(child, 'exit')
  }
  return { said: String(said).trim(), pid: child.pid, end, pause: () => child.kill('SIGSTOP') }
}

const leaseFiles = (folder: string) => readdirSync(folder).filter((name) => name.startsWith('.lease-'))

describe('processes that take a lease', () => {
  test.each([
    ['years ago', new Date(0)],
    ['in the future', new Date('2100-01-01')],
  ])('a clock that jumps steals nothing: last beat %s, owner stopped but alive', async (_when, moment) => {
    const folder = fresh()
    const other = await holder(folder)
    other.pause()
    for (const name of leaseFiles(folder)) utimesSync(path.join(folder, name), moment, moment)
    expect(await takeLease(folder, { beatMs: 1 })).toMatchObject({ heldBy: { pid: other.pid } })
    await other.end('SIGKILL')
  })
  test('of many processes at once exactly one gets it, a dead owner being there', async () => {
    const folder = fresh()
    await (await holder(folder)).end('SIGKILL')
    const all = await Promise.all(Array.from({ length: 5 }, () => holder(folder)))
    const holders = all.filter(({ said }) => said === 'held')
    expect(holders).toHaveLength(1)
    expect(all.filter(({ said }) => said === `held by ${holders[0]?.pid}`)).toHaveLength(4)
    await holders[0]?.end('SIGKILL')
  })
})
