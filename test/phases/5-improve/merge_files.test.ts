/** Separate edits of one version are combined, unless they touch the same lines. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { mergeFiles, mergeTexts, type VersionFiles } from '../../../src/phases/5-improve/edits/merge_files.ts'

const base = 'one\ntwo\nthree\nfour\n'

describe('texts', () => {
  test.each<[string, string[], string | null, string?]>([
    ['no edit', [], base],
    ['lines far apart', ['ONE\ntwo\nthree\nfour\n', 'one\ntwo\nthree\nFOUR\n'], 'ONE\ntwo\nthree\nFOUR\n'],
    ['lines next to each other', ['ONE\ntwo\nthree\nfour\n', 'one\nTWO\nthree\nfour\n'], 'ONE\nTWO\nthree\nfour\n'],
    ['the same line', ['ONE\ntwo\nthree\nfour\n', 'uno\ntwo\nthree\nfour\n'], null],
    ['two texts added at the end, in their order', [`${base}five\n`, `${base}six\n`], `${base}five\nsix\n`],
    ['the same text added at the end', [`${base}five\n`, `${base}five\n`], null],
    ['a deletion and a change of what it deletes', ['one\nfour\n', 'one\ntwo\nTHREE\nfour\n'], null],
    ['a deletion and an insertion inside it', ['one\nfour\n', 'one\ntwo\nhalf\nthree\nfour\n'], null],
    ['a deletion and an insertion before it', ['one\nfour\n', 'one\nhalf\ntwo\nthree\nfour\n'], 'one\nhalf\nfour\n'],
    ['a last line without its end', ['one', 'zero\none'], 'zero\none', 'one'],
  ])('%s', (_, edits, merged, from = base) => expect(mergeTexts(from, edits)).toBe(merged))

  test('property: one edit gives its own text, and an edit that changes nothing changes nothing', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 8 }).map((all) => all.join('\n'))
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        expect(mergeTexts(before, [after])).toBe(after)
        expect(mergeTexts(before, [before, after])).toBe(after)
      }),
    )
  })

  test('property: whether edits conflict does not depend on their order', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 6 }).map((all) => all.join('\n'))
    fc.assert(
      fc.property(lines, lines, lines, (before, one, other) => {
        expect(mergeTexts(before, [one, other]) === null).toBe(mergeTexts(before, [other, one]) === null)
      }),
    )
  })
})

const files = (all: Record<string, string | Buffer>, executable: readonly string[] = []): VersionFiles =>
  new Map(
    Object.entries(all).map(([name, content]) => [
      name,
      { content: Buffer.from(content), isExecutable: executable.includes(name) },
    ]),
  )

describe('files', () => {
  const bin = Buffer.from([0, 1])
  const before = files({ 'a.md': base, 'b.bin': bin })
  const both = files({ 'a.md': 'A', 'b.bin': bin })
  const runnable = files({ 'a.md': base, 'b.bin': bin }, ['a.md'])
  const added = ['x', 'y'].map((text) => new Map([...before, ...files({ 'c.md': text })]))
  test.each<[string, VersionFiles[], Record<string, string> | string]>([
    ['other files', [both, files({ 'a.md': base, 'b.bin': 'B' })], { 'a.md': 'A', 'b.bin': 'B' }],
    ['the same new file', added, 'c.md'],
    ['a deletion and a change', [files({ 'b.bin': bin }), both], 'a.md'],
    ['a permission and a change', [runnable, both], 'a.md'],
  ])('%s', (_, edits, expected) => {
    const merge = mergeFiles(before, edits)
    if (typeof expected === 'string') return expect(merge).toEqual({ status: 'conflict', path: expected })
    if (merge.status !== 'merged') return expect(merge.status).toBe('merged')
    expect(Object.fromEntries([...merge.files].map(([name, { content }]) => [name, String(content)]))).toEqual(expected)
  })
  test('a permission alone is kept', () => {
    const merge = mergeFiles(before, [runnable])
    expect(merge.status === 'merged' && merge.files.get('a.md')?.isExecutable).toBe(true)
  })
})
