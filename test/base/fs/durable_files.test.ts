/** Folders are made, and what was renamed in them is made durable; what is made beside its place has a name of its own, also where every process has the same number, as in containers that share a folder. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { makeFolders, syncFolder } from '../../../src/base/fs/durable_files.ts'
import { fresh } from '../../e2e/program.ts'

test('a folder that is not there can not be made durable', async () => {
  const folder = path.join(fresh(), 'folder')
  await expect(syncFolder(folder)).rejects.toThrow('ENOENT')
  mkdirSync(folder)
  await syncFolder(folder)
})

test('folders that a system says are not there, though it makes none, are tried once', () => {
  const folder = path.join(fresh(), 'folder')
  makeFolders(path.join(folder, 'a/b'))
  expect(existsSync(path.join(folder, 'a/b'))).toBe(true)
  if (existsSync('/proc/self')) expect(() => makeFolders('/proc/nothing/a')).toThrow('ENOENT')
})

/** As a process that starts: its count starts at 0 again. */
async function process() {
  vi.resetModules()
  const { tempSiblingName } = await import('../../../src/base/fs/durable_files.ts')
  const { writeAtomic } = await import('../../../src/base/fs/durable_files.ts')
  return { nameBeside: tempSiblingName, writeAtomic }
}

test('names beside a place lie in the same folder, hidden, and are never given twice', async () => {
  const place = path.join('/a', 'b.json')
  const { nameBeside } = await process()
  const names = Array.from({ length: 1000 }, () => nameBeside(place))
  expect(new Set(names).size).toBe(1000)
  expect(names.every((name) => /^\/a\/\.b\.json\.[^/]+\.tmp$/.test(name))).toBe(true)
})

test('what one left that was killed is in no other one’s way', async () => {
  const file = path.join(fresh(), 'benchmark.json')
  const killed = await process()
  for (let count = 0; count < 3; count += 1) writeFileSync(killed.nameBeside(file), 'half')
  const next = await process()
  await next.writeAtomic(file, 'whole')
  expect(readdirSync(path.dirname(file))).toHaveLength(4)
})
