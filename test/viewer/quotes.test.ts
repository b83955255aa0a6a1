/** Quotes in a judge's evidence lead to where they were looked up, else to what reads the same; quotes of what is not there lead nowhere. */
import { describe, expect, test } from 'vitest'
import type { EvidencePlace } from '../../schemas/evidence.ts'
import type { PageFile } from '../../schemas/page.ts'
import { findProvedParts, type Proof } from '../../viewer/data/quotes/quote_places.ts'
import type { Quotable } from '../../viewer/data/quotes/quotes.ts'

const file = (path: string, body: string): PageFile => {
  return { path, bytes: body.length, sha256: null, as: 'text', body, left_out: null }
}
const said = 'Say hello: hell or draft, alpha and beta, total 7, nice'
const fox = 'The quick brown fox jumps over the lazy dog.'
const detail: Quotable = {
  ...{ events: [{ type: 'user', text: said }], transcript: null, cut: null, record: null, grading: null },
  outputs: [file('a.md', '# A\nTotal: 7\n1284 left\nand 284 left\n'), file('b.md', `first\nTotal: 7\n${fox}\n`)],
  inputs: [file('given.txt', 'made 142 crates\nsold 42 crates\n')],
  spots: { 70: { event: 0, span: { start: 42, end: 49 } } },
}
/** Where these words stand in a file. */
function placeOf(name: string, words: string, from = 0): EvidencePlace {
  const [folder, own] = name.split('/')
  const { body = '' } = detail[folder === 'inputs' ? 'inputs' : 'outputs'].find(({ path }) => path === own) ?? {}
  const start = body.indexOf(words, from)
  return { file: name, line: body.slice(0, start).split('\n').length, start, end: start + words.length }
}
const placesOf = (proof: Proof) =>
  findProvedParts(proof, detail).flatMap(({ text, place }) =>
    place === null ? [] : [[text, 'file' in place ? place.file : place.tab, place.span?.start ?? null]],
  )

describe('a quote leads to where it was looked up', () => {
  test.each<[string, Proof, [string, string, number]]>([
    [
      'of two files the one that is named',
      { evidence: 'b.md says "Total: 7"', evidence_at: placeOf('outputs/b.md', 'Total: 7') },
      ['"Total: 7"', 'b.md', 6],
    ],
    [
      'the word, not a part of another',
      { evidence: 'a.md says "284 left"', evidence_at: placeOf('outputs/a.md', '284 left', 20) },
      ['"284 left"', 'a.md', 27],
    ],
    [
      'nearly what stands there',
      {
        evidence: 'b.md says "The quick brown fox jumped over the lazy dog."',
        evidence_verified: 'fuzzy',
        evidence_at: placeOf('outputs/b.md', fox),
      },
      ['"The quick brown fox jumped over the lazy dog."', 'b.md', 15],
    ],
    ['without any marks', { evidence: fox, evidence_at: placeOf('outputs/b.md', fox) }, [fox, 'b.md', 15]],
    [
      'what the case was given',
      { evidence: 'given.txt has "42 crates"', evidence_at: placeOf('inputs/given.txt', '42 crates', 10) },
      ['"42 crates"', 'given.txt', 21],
    ],
    [
      'the event that says it',
      { evidence: 'it says "total 7"', evidence_at: { file: 'transcript.md', line: 3, start: 70, end: 77 } },
      ['"total 7"', 'transcript', 42],
    ],
  ])('%s', (_, proof, expected) => expect(placesOf(proof)).toEqual([expected]))

  const moved = placeOf('outputs/b.md', 'Total: 7')
  test.each<[string, EvidencePlace | undefined]>([
    ['negative control: without a place', undefined],
    ['a place in a file that has changed', { ...moved, line: 99 }],
    ['a place beyond the end', { ...moved, start: 1e6, end: 1e6 + 3 }],
  ])('%s: to what reads the same', (_, evidence_at) => {
    expect(placesOf({ evidence: 'b.md says "Total: 7"', evidence_at })).toEqual([['"Total: 7"', 'a.md', null]])
    expect(placesOf({ evidence: 'it says "never said"', evidence_at })).toEqual([])
  })
})

describe('what the evidence calls missing leads nowhere', () => {
  const linked = (evidence: string, evidence_at?: EvidencePlace) =>
    placesOf({ evidence, evidence_at }).map(([text]) => `${text}`.slice(1, -1))
  test.each<[string, string[]]>([
    ['"hell" is not in the final answer; it begins "nice"', ['nice']],
    ['“draft” does not appear in it', []],
    ['"draft" wasn’t found, "total 7" was', ['total 7']],
    ['`draft` appears nowhere', []],
    ['"draft" is missing', []],
    ['"alpha" and "beta" are not in the file', []],
    ['The answer does not mention the word "draft"', []],
    ['neither "alpha" nor "beta" stands there', []],
    ['final answer: "nice", not "draft"', ['nice']],
    ['It never says "draft" but "total 7"', ['total 7']],
    // negative controls: what is there stays linked, whatever else is denied of it
    ['"total 7" is not a number', ['total 7']],
    ['it has "alpha" and no "beta"', ['alpha']],
    ['"alpha" and "beta" are there', ['alpha', 'beta']],
    ['report.md:3: there is no "draft" left', ['draft']],
  ])('%s', (evidence, expected) => expect(linked(evidence)).toEqual(expected))

  test('a place that was looked up for it is no proof either, and that of another quote still is', () => {
    const found = placeOf('outputs/a.md', '1284 left')
    expect(linked('"1284 left" is not in a.md', found)).toEqual([])
    expect(linked('"1284 left" is there, "draft" is not in it', found)).toEqual(['1284 left'])
  })
})
