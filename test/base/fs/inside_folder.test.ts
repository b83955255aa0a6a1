/** A place lies in a folder when it really does, whatever links say. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOwnFileFinder, escapesFolder, findOwnFile, isInsideFolder } from '../../../src/base/fs/inside_folder.ts'

let top: string
const at = (...names: string[]) => path.join(top, ...names)

beforeAll(() => {
  top = mkdtempSync(path.join(tmpdir(), 'own-'))
  mkdirSync(at('own/deep/down'), { recursive: true })
  mkdirSync(at('other/deep'), { recursive: true })
  for (const name of ['own/deep/file', 'other/deep/file', 'own-file']) writeFileSync(at(name), 'x')
  symlinkSync(at('own'), at('way'))
  symlinkSync(at('other/deep'), at('own/out'))
  symlinkSync(at('own/deep'), at('own/in'))
  symlinkSync(at('other/deep/file'), at('own/file-out'))
  symlinkSync(at('own/nowhere'), at('own/broken'))
  symlinkSync(at('own/ring'), at('own/ring'))
  execFileSync('mkfifo', [at('own/pipe')])
})
afterAll(() => rmSync(top, { recursive: true }))

const lying: [folder: string, place: string, expected: boolean][] = [
  ['own', 'own/deep/file', true],
  ['own', 'own/deep/down', true],
  ['own', 'own', true],
  ['own/deep/file', 'own/deep/file', true],
  ['own/nowhere', 'own/nowhere', false],
  ['way', 'way', true],
  ['way', 'way/deep/file', true],
  ['way', 'own/deep/file', true],
  ['own', 'own/in/file', true],
  ['own/in', 'own/in/file', true],
  ['own', 'own/deep/../deep/file', true],
  ['own', 'own/out', false],
  ['own', 'own/out/file', false],
  ['own', 'own/file-out', false],
  ['own/deep', 'own/in/../../other/deep/file', false],
  ['own', 'own-file', false],
  ['own', 'other/deep/file', false],
  ['own/deep', 'own', false],
  ['own', 'own/nowhere/file', false],
  ['own', 'own/deep/file/below', false],
  ['own', 'own/broken', false],
  ['own', 'own/ring', false],
]

describe('liesIn', () => {
  test.each(lying)('%s holds %s: %s', (folder, place, expected) => {
    expect(isInsideFolder(at(folder), at(place))).toBe(expected)
  })
})

test.each([
  ['own', 'own/deep/file', false],
  ['own', 'own/deep/new/file', false],
  ['way', 'way/deep/new', false],
  ['own', 'own/in/new', false],
  ['own', 'own/in/../../own-file', true],
  ['own', 'own/out/new', true],
  ['own', 'own/file-out', true],
  ['own', 'own/broken', true],
  ['own', 'own/ring/new', true],
  ['own', 'other/new', true],
])('what is written in %s to %s lands outside: %s', (folder, place, expected) => {
  expect(escapesFolder(at(folder), path.join(top, '.', place))).toBe(expected)
})

test('a file of its own, and neither a pipe nor a folder nor one that a link leads to from elsewhere', () => {
  expect(findOwnFile(at('own'), 'deep/file')).toBe(at('own/deep/file'))
  for (const name of ['pipe', 'deep', 'file-out', 'out/file', 'nowhere'])
    expect(findOwnFile(at('own'), name)).toBeNull()
})

test('ownFilesOf says the same of each file of a folder', () => {
  symlinkSync(at('own/deep/file'), at('own/file-in'))
  const own = createOwnFileFinder(at('own'))
  expect(own('file-in')).toBe(at('own/file-in'))
  for (const name of ['file-in', 'pipe', 'deep', 'file-out', 'nowhere', 'broken', 'ring']) {
    expect(own(name)).toBe(findOwnFile(at('own'), name))
  }
  expect(createOwnFileFinder(at('own/deep'))('file')).toBe(at('own/deep/file'))
  for (const none of ['own-file', 'own/nowhere', 'own/ring']) expect(createOwnFileFinder(at(none))('file')).toBeNull()
})
