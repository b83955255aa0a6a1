/** An entry of the shared cache is used only as what it was signed as, to the byte. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createSealer } from '../../../src/store/shared_cache/sealer.ts'

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
