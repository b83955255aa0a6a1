/** An entry of the shared cache is used only as what it was signed as, to the byte, and what a stranger with write access can't do. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSealer, maxSharedBytes, readShared, writeShared } from '../../../src/store/cache/cache.ts'

const [name, other] = ['a'.repeat(64), 'b'.repeat(64)]
const sealer = createSealer(Buffer.from('k'.repeat(32)))
const id = { kind: 'run' as const, name, format: 1 }
const content = Buffer.from('the packed run')
const blob = sealer.seal(id, content)

describe('a sealed entry', () => {
  test('opens with the same key as the same entry', () => expect(sealer.open(id, blob)).toEqual(content))
  test.each([
    ['renamed to another key', { ...id, name: other }],
    ['of another version of the cache', { ...id, format: 2 }],
    ['of another kind', { ...id, kind: 'grading' as const }],
  ])('%s does not open', (_what, as) => expect(sealer.open(as, blob)).toBeNull())
  test.each([
    ['of another key', createSealer(Buffer.from('K'.repeat(32))).seal(id, content)],
    ['without a signature', content],
    ['cut off', blob.subarray(0, -1)],
    ['with more', Buffer.concat([blob, Buffer.from('x')])],
    [
      'with the signature of another content',
      Buffer.concat([blob.subarray(0, -content.length), Buffer.from('another')]),
    ],
    ['with another method', Buffer.from(blob.toString().replace('sha256', 'md5'))],
    ['empty', Buffer.alloc(0)],
  ])('%s does not open', (_what, wrong) => expect(sealer.open(id, wrong)).toBeNull())
  test('any one changed byte is seen', () => {
    fc.assert(
      fc.property(fc.nat(blob.length - 1), fc.integer({ min: 1, max: 255 }), (at, flip) => {
        const changed = Buffer.from(blob)
        changed[at] = (changed[at] ?? 0) ^ flip
        expect(sealer.open(id, changed)).toBeNull()
      }),
    )
  })
})

describe('a file of the folder', () => {
  const fresh = () => mkdtempSync(path.join(tmpdir(), 'shared-'))
  const outside = path.join(fresh(), 'outside')
  writeFileSync(outside, 'not for you')
  test('is missing, then what was written last, whole, whoever writes at the same time', async () => {
    const file = path.join(fresh(), 'new', name)
    expect(await readShared(file)).toBeNull()
    const contents = [1, 2, 3, 4].map((one) => Buffer.alloc(200_000, one))
    await Promise.all(contents.map((one) => writeShared(file, one)))
    const found = await readShared(file)
    expect(contents.some((one) => found?.equals(one))).toBe(true)
    await writeShared(file, Buffer.from('last'))
    expect(String(await readShared(file))).toBe('last')
  })
  test.each([
    ['a link', (at: string) => symlinkSync(outside, at)],
    ['a pipe, which would block', (at: string) => execFileSync('mkfifo', [at])],
    ['a folder', (at: string) => mkdirSync(at)],
    ['a file that is too large', (at: string) => writeFileSync(at, Buffer.alloc(maxSharedBytes + 1))],
  ])('that is %s gives none of it', async (_what, plant) => {
    const file = path.join(fresh(), name)
    plant(file)
    await expect(readShared(file)).rejects.toThrow()
  })
  test('replaces a link instead of writing through it, and leaves no other file', async () => {
    const folder = fresh()
    symlinkSync(outside, path.join(folder, name))
    await writeShared(path.join(folder, name), Buffer.from('mine'))
    expect(readFileSync(outside, 'utf8')).toBe('not for you')
    expect(readdirSync(folder)).toEqual([name])
  })
  test('in a missing folder of a missing folder rejects', async () => {
    await expect(writeShared(path.join(fresh(), 'not/there', name), Buffer.from('x'))).rejects.toThrow('ENOENT')
  })
})
