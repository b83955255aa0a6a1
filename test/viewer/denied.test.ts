/** Which quotes of an evidence are of what is not there: those lead nowhere, all others to where they stand. */
import { expect, test } from 'vitest'
import type { EvidencePlace } from '../../schemas/evidence.ts'
import { findProvedParts } from '../../viewer/data/quotes/quote_places.ts'
import type { Quotable } from '../../viewer/data/quotes/quotes.ts'

const said = 'Say hello: hell or draft, alpha and beta, total 7, nice'
const detail: Quotable = {
  ...{ events: [{ type: 'user', text: said }], transcript: null, cut: null, outputs: [], inputs: [] },
  ...{ record: null, grading: null },
}
const linked = (evidence: string, evidence_at?: EvidencePlace, own = detail) =>
  findProvedParts({ evidence, evidence_at }, own).flatMap(({ quote, place }) => (place === null ? [] : quote))

test.each<[string, string[]]>([
  ['"hell" is not in the final answer; it begins "nice"', ['nice']],
  ['"hell" is not in the answer or the outputs', []],
  ['“draft” does not appear in it', []],
  ['"draft" wasn’t found, "total 7" was', ['total 7']],
  ['`draft` appears nowhere', []],
  ['"draft" is missing', []],
  ['"alpha" and "beta" are not in the file', []],
  ['The answer does not mention the word "draft"', []],
  ['The answer has no "draft"', []],
  ['neither "alpha" nor "beta" stands there', []],
  ['final answer: "nice", not "draft"', ['nice']],
  ['It never says "draft" but "total 7"', ['total 7']],
  // negative controls: what is there stays linked, whatever else is denied of it
  ['it says "total 7"', ['total 7']],
  ['"total 7" is not a number', ['total 7']],
  ['it has "alpha" and no "beta"', ['alpha']],
  ['"alpha" and "beta" are there', ['alpha', 'beta']],
  ['report.md:3: there is no "draft" left', ['draft']],
])('%s', (evidence, expected) => expect(linked(evidence)).toEqual(expected))

test('a place that was looked up for what is denied is no proof either, and that of another quote still is', () => {
  const at = (start: number, end: number): EvidencePlace => ({ file: 'outputs/a.md', line: 1, start, end })
  const file = { path: 'a.md', bytes: said.length, sha256: null, as: 'text' as const, body: said, left_out: null }
  const own = { ...detail, outputs: [file] }
  expect(linked('"draft" is not in a.md', at(19, 24), own)).toEqual([])
  expect(linked('"total 7" is there, "draft" is not in it', at(42, 49), own)).toEqual(['total 7'])
})
