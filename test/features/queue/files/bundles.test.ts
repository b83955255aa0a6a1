/** A bundle is what its name says or it is not given out: on arrival, on each use, whatever happens to its bytes. */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { walk } from '../../../../src/base/fs/files.ts'
import { type OpenBundle, openBundles, putBundle } from '../../../../src/features/queue/files/bundles.ts'
import type { BundleError } from '../../../../src/features/queue/files/manifest.ts'
import { describeBundle, openSharedObjects } from '../../../../src/features/queue/files/manifest.ts'

async function stage(maxBytes = 1_000_000) {
  const root = mkdtempSync(path.join(tmpdir(), 'bundles-'))
  const source = path.join(root, 'source')
  mkdirSync(path.join(source, 'scripts'), { recursive: true })
  writeFileSync(path.join(source, 'SKILL.md'), '# totals\n')
  writeFileSync(path.join(source, 'scripts/sum.sh'), '#!/bin/sh\n')
  chmodSync(path.join(source, 'scripts/sum.sh'), 0o775)
  const damages: BundleError[] = []
  const shared = path.join(root, 'shared')
  const cache = path.join(root, 'cache')
  const worker = async () =>
    openBundles({
      objects: openSharedObjects(shared),
      ...{ folder: cache, maxBytes },
      onDamage: (damage) => damages.push(damage),
    })
  const put = async (folder = source) => putBundle(openSharedObjects(shared), await walk(folder))
  const objects = () =>
    readdirSync(shared, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(path.join(shared, name)).isFile(),
    )
  return { root, source, shared, cache, damages, worker, put, objects }
}

describe('put', () => {
  test('the same content has the same name, wherever it lies and whatever its other rights are', async () => {
    const one = await stage()
    const two = await stage()
    chmodSync(path.join(two.source, 'SKILL.md'), 0o600)
    expect(await one.put()).toBe(await two.put())
    chmodSync(path.join(two.source, 'SKILL.md'), 0o700)
    expect(await one.put()).not.toBe(await two.put())
  })
  test.each([
    ['a content', (source: string) => writeFileSync(path.join(source, 'SKILL.md'), '# Totals\n')],
    ['a path', (source: string) => writeFileSync(path.join(source, 'more'), '')],
  ])('%s that differs is another bundle', async (_what, change) => {
    const { put, source } = await stage()
    const before = await put()
    change(source)
    expect(await put()).not.toBe(before)
  })
  test('twice stores once; what rotted in between is put anew', async () => {
    const { put, shared, objects } = await stage()
    const name = await put()
    const before = objects()
    expect(before).toHaveLength(3)
    writeFileSync(path.join(shared, name.slice(0, 2), name), 'rot')
    expect(await put()).toBe(name)
    expect(objects()).toEqual(before)
    expect(readFileSync(path.join(shared, name.slice(0, 2), name), 'utf8')).toContain('SKILL.md')
  })
  test('two files of one path, or a path that leads out, are refused', async () => {
    const { source } = await stage()
    const file = { path: 'a', source: path.join(source, 'SKILL.md'), bytes: 9 }
    await expect(describeBundle({ files: [file, file] })).rejects.toThrow('a appears twice')
    for (const out of ['../a', '/a', 'a/../../b', 'a//b', '.', 'a\0']) {
      await expect(describeBundle({ files: [{ ...file, path: out }] }), out).rejects.toThrow('inside the bundle')
    }
  })
  test('a link out of the folder is not followed', async () => {
    const { put, source, root, worker } = await stage()
    writeFileSync(path.join(root, 'secret'), 'secret')
    symlinkSync(path.join(root, 'secret'), path.join(source, 'link'))
    await using bundle = await (await worker()).get(await put())
    expect(bundle.files.map((file) => file.path)).toEqual(['SKILL.md', 'scripts/sum.sh'])
  })
})

describe('get', () => {
  test('gives the files with their execute bits', async () => {
    const { put, worker } = await stage()
    await using bundle = await (await worker()).get(await put())
    expect(bundle.files.map(({ path: at, bytes }) => [at, bytes])).toEqual([
      ['SKILL.md', 9],
      ['scripts/sum.sh', 10],
    ])
    const modes = ['SKILL.md', 'scripts/sum.sh'].map((at) => statSync(path.join(bundle.folder, at)).mode & 0o777)
    expect(modes).toEqual([0o644, 0o755])
  })
  test('a folder that holds nothing is there', async () => {
    const { worker, shared } = await stage()
    const name = await putBundle(openSharedObjects(shared), { files: [], folders: ['a/b'] })
    await using bundle = await (await worker()).get(name)
    expect(existsSync(path.join(bundle.folder, 'a/b'))).toBe(true)
  })
  test('many at once fetch once, and a later use finds it', async () => {
    const { put, worker, shared } = await stage()
    const name = await put()
    const first = await worker()
    const all: OpenBundle[] = await Promise.all(Array.from({ length: 20 }, () => first.get(name)))
    expect(new Set(all.map(({ folder }) => folder)).size).toBe(1)
    rmSync(shared, { recursive: true })
    await using again = await first.get(name)
    expect(again.files).toHaveLength(2)
  })

  const spoil: [string, (folder: string) => void, RegExp][] = [
    [
      'a changed byte',
      (folder) => writeFileSync(path.join(folder, 'SKILL.md'), '# tOtals\n'),
      /SKILL\.md does not match/,
    ],
    ['a file that is gone', (folder) => rmSync(path.join(folder, 'SKILL.md')), /SKILL\.md is missing/],
    ['an execute bit', (folder) => chmodSync(path.join(folder, 'scripts/sum.sh'), 0o644), /sum\.sh does not match/],
    ['a file too many', (folder) => writeFileSync(path.join(folder, 'planted'), ''), /planted does not match its hash/],
    ['a link', (folder) => symlinkSync('/etc/hosts', path.join(folder, 'hosts')), /hosts does not match its hash/],
    [
      'its list',
      (folder) => writeFileSync(path.join(folder, '../manifest.json'), '{}'),
      /its list of files does not match/,
    ],
  ]
  test.each(spoil)('on use: %s in the cache is told and fetched anew', async (_what, change, message) => {
    const { put, worker, damages } = await stage()
    const name = await put()
    const bundles = await worker()
    const { folder } = await bundles.get(name)
    change(folder)
    await using bundle = await bundles.get(name)
    expect(readdirSync(bundle.folder)).toEqual(['SKILL.md', 'scripts'])
    expect(readFileSync(path.join(bundle.folder, 'SKILL.md'), 'utf8')).toBe('# totals\n')
    expect(damages.map((damage) => damage.message)).toEqual([expect.stringMatching(message)])
    expect(damages[0]?.message).toContain(name)
  })
  test('on arrival: what is damaged where it is kept is named after a second try, and nothing is left in the cache', async () => {
    const { put, worker, damages, shared, objects, cache } = await stage()
    const name = await put()
    const victim = objects().find((at) => readFileSync(path.join(shared, at), 'utf8') === '# totals\n') ?? ''
    writeFileSync(path.join(shared, victim), '# totalz\n')
    const bundles = await worker()
    await expect(bundles.get(name)).rejects.toMatchObject({
      damage: { bundle: name, at: 'SKILL.md', problem: 'damaged', place: path.join(shared, victim) },
    })
    expect(damages).toHaveLength(2)
    expect(readdirSync(cache)).toEqual([])
    await put()
    await using mended = await bundles.get(name)
    expect(mended.files).toHaveLength(2)
  })
  test('a name that nobody put is missing', async () => {
    const { worker } = await stage()
    const name = 'a'.repeat(64)
    await expect((await worker()).get(name)).rejects.toMatchObject({ damage: { at: null, problem: 'missing' } })
  })
  test('a list whose paths lead out of the bundle writes nothing', async () => {
    const { worker, shared, root } = await stage()
    const { createHash } = await import('node:crypto')
    const hash = (text: string) => createHash('sha256').update(text).digest('hex')
    const objects = openSharedObjects(shared)
    await objects.put(hash('evil'), { text: 'evil' })
    const file = { bytes: 4, executable: true, path: '../../../../evil', sha256: hash('evil') }
    const text = JSON.stringify({ files: [file], folders: [], format: 1 })
    await objects.put(hash(text), { text })
    await expect((await worker()).get(hash(text))).rejects.toThrow('inside the bundle')
    expect(readdirSync(root, { recursive: true }).filter((at) => String(at).endsWith('evil'))).toEqual([])
  })
})

describe('the cache is bounded', () => {
  async function three(maxBytes: number) {
    const staged = await stage(maxBytes)
    const names: string[] = []
    for (const [at, letter] of ['a', 'b', 'c'].entries()) {
      const folder = path.join(staged.root, letter)
      mkdirSync(folder)
      writeFileSync(path.join(folder, 'file'), letter.repeat(1000 + at))
      names.push(await staged.put(folder))
    }
    const kept = () =>
      readdirSync(staged.cache)
        .map((name) => names.indexOf(name.replace(/\.\d+$/, '')))
        .sort()
    return { ...staged, names, kept }
  }
  const use = async (bundles: Awaited<ReturnType<typeof openBundles>>, name = '') => {
    await using _bundle = await bundles.get(name)
  }
  test('the least recently used one goes, and a use counts as one', async () => {
    const { worker, names, kept } = await three(2100)
    const bundles = await worker()
    for (const at of [0, 1, 2]) await use(bundles, names[at])
    expect(kept()).toEqual([1, 2])
    for (const at of [1, 0]) await use(bundles, names[at])
    expect(kept()).toEqual([0, 1])
  })
  test('none that is in use', async () => {
    const { worker, names, kept } = await three(1)
    const bundles = await worker()
    const held = await bundles.get(names[0] ?? '')
    await use(bundles, names[1])
    expect(kept()).toEqual([0])
    await held[Symbol.asyncDispose]()
    expect(kept()).toEqual([])
  })
})
