/** Syncs of a folder that are asked for at once are one, and it begins after each of them was asked for. */
import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { syncFolder } from '../../src/base/durable.ts'

const fresh = () => path.join(mkdtempSync(path.join(tmpdir(), 'durable-')), 'folder')

test('who comes while a sync is under way gets the next one, not what the first one saw', async () => {
  const folder = fresh()
  const first = syncFolder(folder)
  const second = syncFolder(folder)
  mkdirSync(folder)
  await expect(first).rejects.toThrow('ENOENT')
  await second
})

test('all who wait for the next one share it', async () => {
  const folder = fresh()
  mkdirSync(folder)
  const [first, second, third] = [syncFolder(folder), syncFolder(folder), syncFolder(folder)]
  expect(third).toBe(second)
  expect(second).not.toBe(first)
  await Promise.all([first, second, third])
  expect(syncFolder(folder)).not.toBe(second)
})

test('each folder has its own', async () => {
  const folder = fresh()
  mkdirSync(folder)
  const [first, other] = [syncFolder(folder), syncFolder(path.dirname(folder)), syncFolder(folder)]
  expect(other).not.toBe(first)
  await Promise.all([first, other])
})

test('a failure is told to each who waits, and is not kept', async () => {
  const folder = fresh()
  const ends = await Promise.allSettled([syncFolder(folder), syncFolder(folder), syncFolder(folder)])
  expect(ends.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
  mkdirSync(folder)
  await syncFolder(folder)
})
