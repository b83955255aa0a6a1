/** What was looked through twice is not looked through again until something of it changes. */
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { UnchangedCache, withFolders } from '../../../../src/features/queue/files/unchanged_cache.ts'

const always = { settledMs: 0, trustedMs: Number.POSITIVE_INFINITY }

function stage(times = always) {
  const folder = mkdtempSync(path.join(tmpdir(), 'steady-'))
  mkdirSync(path.join(folder, 'deep'))
  writeFileSync(path.join(folder, 'deep/a'), 'a')
  const steady = new UnchangedCache<string>(times)
  const paths = withFolders(folder, ['deep/a'])
  const look = () => steady.look('one', async () => ({ found: 'sound', paths }))
  return { folder, steady, look, paths }
}

test('its folders count, down to the innermost', () => {
  const { folder, paths } = stage()
  expect(paths.map((one) => path.relative(folder, one)).sort()).toEqual(['', 'deep', 'deep/a'])
})

const changes: [string, (folder: string) => void][] = [
  ['a file of the same length', (folder) => writeFileSync(path.join(folder, 'deep/a'), 'b')],
  ['a file of another length', (folder) => writeFileSync(path.join(folder, 'deep/a'), 'ab')],
  ['another file in its place', (folder) => swap(folder)],
  ['a right', (folder) => chmodSync(path.join(folder, 'deep/a'), 0o755)],
  ['a file that is gone', (folder) => rmSync(path.join(folder, 'deep/a'))],
  ['a folder that is gone', (folder) => rmSync(folder, { recursive: true })],
]
function swap(folder: string) {
  writeFileSync(path.join(folder, 'other'), 'b')
  renameSync(path.join(folder, 'other'), path.join(folder, 'deep/a'))
}
test.each(changes)('known until it changes: %s', async (_what, change) => {
  const { folder, steady, look } = stage()
  expect(steady.known('one')).toBeNull()
  await look()
  await look()
  expect(steady.known('one')).toBe('sound')
  await new Promise((resolve) => setTimeout(resolve, 20)) // a file system's clock is coarse
  change(folder)
  expect(steady.known('one')).toBeNull()
})
test('many that look at once make it known as one would', async () => {
  const { steady, look, paths } = stage({ ...always, settledMs: 20 })
  await look()
  await new Promise((resolve) => setTimeout(resolve, 30))
  const slow = (ms: number) =>
    steady.look('one', async () => {
      await new Promise((resolve) => setTimeout(resolve, ms))
      return { found: 'sound', paths }
    })
  await Promise.all([slow(1), slow(10), slow(5)])
  expect(steady.known('one')).toBe('sound')
})
test('what is found unfit is known no more', async () => {
  const { steady, look } = stage()
  await look()
  await look()
  await expect(steady.look('one', () => Promise.reject(new Error('unfit')))).rejects.toThrow('unfit')
  expect(steady.known('one')).toBeNull()
})
test('what changes while it is looked through is not known', async () => {
  const { folder, steady, look, paths } = stage({ ...always, settledMs: 1e-6 })
  await look()
  await steady.look('one', async () => {
    writeFileSync(path.join(folder, 'deep/a'), 'abc')
    return { found: 'of before', paths }
  })
  expect(steady.known('one')).toBeNull()
})
test.each([
  ['looked through once only: a write in the same moment may leave the same times', { ...always, settledMs: 1e9 }],
  ['looked through too long ago', { ...always, trustedMs: -1 }],
])('not known: %s', async (_what, times) => {
  const { steady, look } = stage(times)
  await look()
  await look()
  expect(steady.known('one')).toBeNull()
})
