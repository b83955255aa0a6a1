/** A packed run comes back whole into a cache; one that is wrong, though somebody with the key signed it, writes nothing elsewhere. */
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CacheEntry } from '../../../schemas/cache.ts'
import { maxSharedBytes } from '../../../src/store/cache/cache.ts'
import { packEntry } from '../../../src/store/cache/cache_pack.ts'
import { keepPackedRun, packRun, readCachedRun } from '../../../src/store/cache/cache_run.ts'
import { record } from '../../fixtures/record.ts'
import { openSignedCache } from '../../fixtures/signed_cache.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'packed-'))
const key = 'a'.repeat(64)
const at = record().ended_at
const runJson = JSON.stringify(record())
const entry: Omit<CacheEntry, 'files'> = {
  ...{ schema_version: 1, key, parts: { prompt: 'p' }, skill_name: 's', run_id: 'r', evidence: 'e' },
  from: { benchmark: 'b', at },
}

function runFolder(files: Record<string, string>): string {
  const folder = path.join(fresh(), 'run-1')
  for (const [name, text] of Object.entries({ 'run.json': runJson, ...files })) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  return folder
}

test('a run with small, large and executable files comes back whole, and says that it was shared', async () => {
  const large = 'x'.repeat(300_000)
  const folder = runFolder({ 'outputs/a/b.sh': 'ü\n', 'outputs/large.txt': large, 'transcript.jsonl': '' })
  chmodSync(path.join(folder, 'outputs/a/b.sh'), 0o755)
  const packed = await packRun(entry, folder)
  if (packed === null) throw new Error('not packed')
  const cache = await openSignedCache(fresh())
  expect(await keepPackedRun(cache, key, packed)).toMatchObject({ ended_at: at })
  const run = await readCachedRun(cache, key, ({ message }) => expect.unreachable(message))
  expect(run?.entry).toMatchObject({ ...entry, from: { benchmark: 'b', at, shared: true } })
  expect([run?.executable, run?.large.map(({ path: name }) => name)]).toEqual([
    ['outputs/a/b.sh'],
    ['outputs/large.txt'],
  ])
  expect(String(run?.small.get('outputs/a/b.sh'))).toBe('ü\n')
  expect(readdirSync(cache.temporary)).toEqual([])
})

test('a run that is too large is not packed', async () => {
  const folder = runFolder({ 'outputs/large': '' })
  truncateSync(path.join(folder, 'outputs/large'), maxSharedBytes + 1)
  expect(await packRun(entry, folder)).toBeNull()
})

/** An entry of these files after run.json, as somebody with the key could write it. */
function crafted(
  files: [name: string, text: string, changes?: object][],
  changes: Partial<CacheEntry> = {},
  json = runJson,
) {
  const all: typeof files = [['run.json', json], ...files]
  const contents = all.map(([, text]) => Buffer.from(text))
  const described = all.map(([name, text, more]) => ({
    path: name,
    bytes: Buffer.byteLength(text),
    isPacked: true,
    ...more,
  }))
  return packEntry({ ...entry, files: described, ...changes } as CacheEntry, contents)
}

describe('what a writer with the key could craft', () => {
  test('is kept if nothing is wrong with it', async () => {
    const cache = await openSignedCache(fresh())
    await keepPackedRun(cache, key, crafted([['outputs/a', 'x']]))
    expect(readdirSync(cache.runs)).toEqual([key])
  })
  test.each<[string, Buffer]>([
    ['a path that leads out', crafted([['../../../../escaped', 'x']])],
    ['a path that leads out from inside', crafted([['outputs/../../escaped', 'x']])],
    ['an absolute path', crafted([[path.join(tmpdir(), 'escaped'), 'x']])],
    [
      'a path twice',
      crafted([
        ['outputs/a', 'x'],
        ['outputs/a', 'y'],
      ]),
    ],
    [
      'a file below a file',
      crafted([
        ['outputs/a', 'x'],
        ['outputs/a/b', 'y'],
      ]),
    ],
    ['a size beyond the end', crafted([['outputs/a', 'x', { bytes: 2 ** 40 }]])],
    ['a file that is not in it', crafted([['outputs/a', 'x', { isPacked: false, sha256: 'a'.repeat(64) }]])],
    ['the entry of another run', crafted([], { key: 'b'.repeat(64) })],
    ['another time than the record', crafted([], { from: { benchmark: 'b', at: '2027-01-15T10:30:10Z' } })],
    ['a run that did not complete', crafted([], {}, JSON.stringify({ ...record(), status: 'timed_out' }))],
    ['a record that is none', crafted([], {}, '{}')],
    ['no bytes', Buffer.alloc(0)],
  ])('%s is refused, and nothing is left of it', async (_what, packed) => {
    const workspace = path.join(fresh(), 'ws')
    const cache = await openSignedCache(workspace)
    await expect(keepPackedRun(cache, key, packed)).rejects.toThrow()
    expect(readdirSync(workspace, { recursive: true }).sort()).toEqual([
      '.cache',
      '.cache/judge',
      '.cache/runs',
      '.cache/tmp',
    ])
    expect(
      existsSync(path.join(path.dirname(workspace), 'escaped')) || existsSync(path.join(tmpdir(), 'escaped')),
    ).toBe(false)
  })
})
