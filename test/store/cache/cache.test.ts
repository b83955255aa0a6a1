/** A cached run comes back byte by byte or not at all. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Damage } from '../../../src/store/artefacts/damage.ts'
import { entryPaths, type SignedCache } from '../../../src/store/cache/cache.ts'
import { keepRun, readCachedRun, restoreRun } from '../../../src/store/cache/cache_run.ts'
import { openSignedCache, signerOf } from '../../fixtures/signed_cache.ts'

const fresh = () => mkdtempSync(path.join(tmpdir(), 'cache-'))
const large = 'x'.repeat(300_000)
const files = { 'run.json': '{}', 'transcript.md': 'say', 'outputs/a/b.txt': 'ü\n', 'outputs/large.txt': large }

function runFolder(): string {
  const folder = path.join(fresh(), 'run-1')
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true })
    writeFileSync(path.join(folder, name), text)
  }
  chmodSync(path.join(folder, 'outputs/a/b.txt'), 0o755)
  return folder
}

const describeRun = (key: string) => ({
  schema_version: 1 as const,
  key,
  parts: { prompt: 'p' },
  skill_name: 's',
  run_id: 'r',
  from: { benchmark: 'b', at: '2026-01-15T10:30:00Z' },
  evidence: 'e',
})

const runKey = 'a'.repeat(64)
const otherKey = 'b'.repeat(64)

async function kept(key = runKey) {
  const [workspace, folder] = [fresh(), runFolder()]
  const cache = await openSignedCache(workspace)
  await keepRun(cache, { entry: describeRun(key), folder, replace: false })
  return { cache, committed: folder, ...entryPaths(cache, key) }
}

async function read(cache: SignedCache, key: string) {
  const damages: Damage[] = []
  const run = await readCachedRun(cache, key, (damage) => damages.push(damage))
  return { run, damages }
}

const textsIn = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => statSync(path.join(folder, name)).isFile())
      .map((name) => [name, readFileSync(path.join(folder, name), 'utf8')]),
  )

describe('a run', () => {
  const laid = async (benchmark: string, runId: string) => {
    const { cache } = await kept()
    const { run } = await read(cache, runKey)
    if (run === null) throw new Error('no run')
    const partial = path.join(benchmark, '.partial', 'run')
    const target = path.join(benchmark, runId)
    const lay = () => restoreRun(run, new Map([['run.json', '{"b":1}']]), { partial, benchmark, runId })
    return { partial, target, lay }
  }
  test('comes back as it was, with its execute bits, parts of it replaced', async () => {
    const { partial, target, lay } = await laid(fresh(), 'case/arm/run-1')
    lay()
    expect(textsIn(target)).toEqual({ ...files, 'run.json': '{"b":1}' })
    expect(statSync(path.join(target, 'outputs/a/b.txt')).mode & 0o111).not.toBe(0)
    expect(statSync(path.join(target, 'transcript.md')).mode & 0o111).toBe(0)
    expect(existsSync(partial)).toBe(false)
  })
  test('what lies in both places gives way', async () => {
    const { partial, target, lay } = await laid(fresh(), 'case/arm/run-1')
    for (const folder of [partial, target]) {
      mkdirSync(folder, { recursive: true })
      writeFileSync(path.join(folder, 'old'), '')
    }
    lay()
    expect(textsIn(target)).toEqual({ ...files, 'run.json': '{"b":1}' })
  })
  test('what the file system says is passed on with its code', async () => {
    const benchmark = fresh()
    writeFileSync(path.join(benchmark, 'file'), '')
    const { lay } = await laid(benchmark, 'file/run-1')
    expect(lay).toThrow(expect.objectContaining({ code: expect.stringMatching(/ENOTDIR|EEXIST/) }))
  })
  test('a record and a grading of any size are read, and replaced in the benchmark alone', async () => {
    const [cache, folder] = [await openSignedCache(fresh()), runFolder()]
    for (const name of ['run.json', 'grading.json']) writeFileSync(path.join(folder, name), JSON.stringify({ large }))
    await keepRun(cache, { entry: describeRun(runKey), folder, replace: false })
    const { run } = await read(cache, runKey)
    expect(String(run?.small.get('run.json'))).toBe(JSON.stringify({ large }))
    const benchmark = fresh()
    const texts = new Map(['run.json', 'grading.json'].map((name) => [name, 'of this benchmark']))
    if (run !== null) restoreRun(run, texts, { partial: path.join(fresh(), 'partial'), benchmark, runId: 'r' })
    expect(readFileSync(path.join(benchmark, 'r/grading.json'), 'utf8')).toBe('of this benchmark')
    expect(await read(cache, runKey)).toEqual({ run: expect.anything(), damages: [] })
  })
  test('its large files are links: pruning leaves them to the benchmarks', async () => {
    const { cache, files: place, committed: folder } = await kept()
    const [ours, theirs] = [path.join(place, 'outputs/large.txt'), path.join(folder, 'outputs/large.txt')]
    expect(statSync(ours).ino).toBe(statSync(theirs).ino)
    rmSync(entryPaths(cache, runKey).folder, { recursive: true })
    expect(textsIn(folder)).toEqual(files)
  })
  test('one that is there is kept, or replaced when asked', async () => {
    const { cache, committed: folder } = await kept()
    writeFileSync(path.join(folder, 'run.json'), '{"new":1}')
    const again = (replace: boolean) => keepRun(cache, { entry: describeRun(runKey), folder, replace })
    const record = async () => String((await read(cache, runKey)).run?.small.get('run.json'))
    await again(false)
    expect(await record()).toBe('{}')
    await again(true)
    expect(await record()).toBe('{"new":1}')
    expect(readdirSync(cache.temporary)).toEqual([])
  })
  test('what can not be written leaves nothing behind', async () => {
    const { cache, committed: folder } = await kept()
    await expect(keepRun(cache, { entry: describeRun('a/b'), folder, replace: false })).rejects.toThrow('ENOENT')
    expect(readdirSync(cache.temporary)).toEqual([])
    expect(readdirSync(cache.runs)).toEqual([runKey])
  })
})

describe('a damaged entry', () => {
  const flip = (file: string, at: number) => {
    const bytes = readFileSync(file)
    bytes[at] = (bytes[at] ?? 0) ^ 1
    writeFileSync(file, bytes)
  }
  type Kept = Awaited<ReturnType<typeof kept>>
  const largeFile = ({ files: place }: Kept) => path.join(place, 'outputs/large.txt')
  test.each<[string, (made: Kept) => void]>([
    ['cut off', ({ entry }) => truncateSync(entry, 200)],
    ['empty', ({ entry }) => truncateSync(entry, 0)],
    ['with a bit flipped in its description', ({ entry }) => flip(entry, 190)],
    ['with a bit flipped in a small file', ({ entry }) => flip(entry, statSync(entry).size - 1)],
    ['with a bit flipped in its hash', ({ entry }) => flip(entry, 3)],
    ['with a bit flipped in a large file', (made) => flip(largeFile(made), 1000)],
    ['without its large file', (made) => rmSync(largeFile(made))],
    ['that is no entry', ({ entry }) => writeFileSync(entry, '{}')],
  ])('%s is named, removed and a miss', async (_what, spoil) => {
    const made = await kept()
    spoil(made)
    const { run, damages } = await read(made.cache, runKey)
    expect(run).toBeNull()
    expect(damages).toEqual([{ file: made.folder, message: expect.any(String) }])
    expect(existsSync(made.folder)).toBe(false)
    expect((await read(made.cache, runKey)).damages).toEqual([])
  })
  test('negative control: untouched it is a hit', async () => {
    const { run, damages } = await read((await kept()).cache, runKey)
    expect(run).not.toBeNull()
    expect(damages).toEqual([])
  })
  test('of somebody else, or under the name of another, is a miss, named as such and left where it is', async () => {
    const { cache, folder } = await kept(otherKey)
    const foreign = [expect.objectContaining({ foreign: true })]
    const theirs = { ...cache, signer: signerOf('the key of somebody else') }
    expect(await read(theirs, otherKey)).toEqual({ run: null, damages: foreign })
    renameSync(folder, entryPaths(cache, runKey).folder)
    expect(await read(cache, runKey)).toEqual({ run: null, damages: foreign })
    expect(readdirSync(cache.runs)).toEqual([runKey])
  })
})
