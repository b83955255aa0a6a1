/** Folders are made, and what was renamed in them is made durable. */
import { existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { makeFolders, syncFolder } from '../../../src/base/fs/durable_files.ts'

const fresh = () => path.join(mkdtempSync(path.join(tmpdir(), 'durable-')), 'folder')

test('a folder that is not there can not be made durable', async () => {
  const folder = fresh()
  await expect(syncFolder(folder)).rejects.toThrow('ENOENT')
  mkdirSync(folder)
  await syncFolder(folder)
})

test('folders that a system says are not there, though it makes none, are tried once', () => {
  const folder = fresh()
  makeFolders(path.join(folder, 'a/b'))
  expect(existsSync(path.join(folder, 'a/b'))).toBe(true)
  if (existsSync('/proc/self')) expect(() => makeFolders('/proc/nothing/a')).toThrow('ENOENT')
})
