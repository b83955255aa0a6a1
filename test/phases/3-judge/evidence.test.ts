/** Evidence is looked up: a planted quote is found at its place whatever was done to its spaces and marks, an invented one is not. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Searchable } from '../../../src/phases/3-judge/evidence/find_quote.ts'
import { normalize } from '../../../src/phases/3-judge/evidence/normalize_text.ts'
import { verifyEvidence } from '../../../src/phases/3-judge/evidence/verify_evidence.ts'

const report =
  '# Totals\n\n| place | total |\n| --- | --- |\n| Ocean | **42** |\n\nThe sum over all places is 1,042.50 euros.\n'
const transcript = [
  '## Step 1',
  '**Tool result** `Read`',
  '     1\u2192name,amount',
  '     2\u2192Ocean,42',
  'I have \u201cadded up\u201d the amounts \u2014 twice \u2014 and they don\u2019t differ.',
  'All tests passed in 3 seconds, so nothing is left to be done here today.',
].join('\n')

function look(evidence: string, given: string[] = []) {
  const files = { 'outputs/report.md': report, 'transcript.md': transcript }
  const list = Object.entries(files).map(([path, text]) => {
    const searchable = new Searchable(text)
    return { path, load: () => searchable }
  })
  const { verified, at, missing } = verifyEvidence(evidence, { files: list, given })
  const text = at && files[at.file as keyof typeof files].slice(at.start, at.end)
  return { verified, at: at && `${at.file}:${at.line}`, text, missing }
}

describe('a quote that stands there', () => {
  const [line7, sum] = ['outputs/report.md:7', 'The sum over all places']
  test.each([
    ['as it is', 'outputs/report.md: "The sum over all places"', line7, sum],
    ['without its Markdown', '"Ocean  42"', 'outputs/report.md:5', 'Ocean | **42'],
    ['in a code span', 'the line `name,amount` is there', 'transcript.md:3', 'name,amount'],
    ['in a block', 'It says:\n> The sum over\n> all places', line7, sum],
    ['in a code block', 'It says:\n```\nThe sum over all places\n```', line7, sum],
    ['with an ellipsis', '"The sum \u2026 1,042.50 euros"', line7, 'The sum over all places is 1,042.50 euros'],
    [
      'with line numbers that the tool had put there',
      '"name,amount Ocean,42"',
      'transcript.md:3',
      'name,amount\n     2\u2192Ocean,42',
    ],
    [
      'with other dashes and apostrophes',
      '"amounts - twice - and they don\'t differ"',
      'transcript.md:5',
      'amounts \u2014 twice \u2014 and they don\u2019t differ',
    ],
    [
      'with quotation marks inside',
      '"I have "added up" the amounts"',
      'transcript.md:5',
      'I have \u201cadded up\u201d the amounts',
    ],
    ['as file, line and text, without marks', 'outputs/report.md:7: The sum over all places', line7, sum],
    ['as the whole evidence', 'The sum over all places is', line7, 'The sum over all places is'],
    ['with characters that no one sees', '"The su\u00adm over\u200b all places"', line7, 'The sum over all places'],
    ['beside the name of a file in quotes', '"outputs/report.md" says "The sum"', line7, 'The sum'],
  ])('%s', (_, evidence, at, text) => {
    expect(look(evidence)).toEqual({ verified: 'exact', at, text, missing: [] })
  })
  test('in the file that is named, though it stands elsewhere too', () => {
    expect(look('transcript.md: "42"').at).toBe('transcript.md:4')
    const files = ['old/a.md', 'new/a.md'].map((path) => ({ path, load: () => new Searchable('is 42') }))
    expect(verifyEvidence('new/a.md: "is 42"', { files, given: [] }).at?.file).toBe('new/a.md')
  })
})

describe('a quote that nearly stands there', () => {
  test.each([
    ['with a slip', '"All test passed in 3 seconds, so nothing is left to do here today"', 'transcript.md:6'],
    ['with a line number as grep gives it', '"7:The sum over all places"', 'outputs/report.md:7'],
  ])('%s', (_, evidence, at) => expect(look(evidence)).toMatchObject({ verified: 'fuzzy', at }))
  test.each([
    ['another figure', 'All tests passed in 4 seconds, so nothing is left to be done here today.'],
    ['one more not', 'All tests not passed in 3 seconds, so nothing is left to be done here today.'],
    ['more than 15 % of other characters', 'All tests passed in 3 seconds, but a lot remains for other people.'],
  ])('but for %s is absent', (_, quote) => {
    expect(look(`"${quote}"`)).toEqual({ verified: 'absent', at: null, text: null, missing: [quote] })
  })
})

describe('a quote that does not stand there', () => {
  test.each([
    ['invented', '"The total is in the appendix"'],
    ['invented, with a line and without marks', 'outputs/report.md:7: The total is in the appendix'],
    ['a part of a number', '"104"'],
    ['a part of a word', '"um over"'],
    ['one invented beside one that is true', '"The sum over all places", "and it was checked twice"'],
  ])('%s', (_, evidence) => expect(look(evidence).verified).toBe('absent'))
  test('is none where it repeats what the judge was told', () => {
    expect(look('it is "in French"', ['The report is in French']).verified).toBe('not_a_quote')
    expect(look('it is "in French"').verified).toBe('absent')
  })
  test.each(['No spreadsheet was created.', 'I looked into "outputs/data.csv" and `report.md`.', 'line 7', ''])(
    'nor is it a quote: %s',
    (evidence) => expect(look(evidence)).toMatchObject({ verified: 'not_a_quote', at: null }),
  )
})

const word = fc.stringMatching(/^[a-z\u00e4\u00e9]{2,9}$/)
const filler = fc.array(word, { minLength: 5, maxLength: 60 })
const planted = fc.array(fc.stringMatching(/^[A-Z][a-z0-9]{3,8}$/), { minLength: 4, maxLength: 12 })
const spaces = fc.constantFrom(' ', '  ', '\n', '\t', ' \n  ', '\u00a0', '\r\n')
const wraps = fc.constantFrom<[string, string]>(
  ['"', '"'],
  ['\u201c', '\u201d'],
  ['\u00ab', '\u00bb'],
  ['```\n', '\n```'],
)

test('property: a planted quote is found at its place, whatever became of its spaces, case and accents', () => {
  const is = fc.boolean()
  const noise = fc.record({ between: spaces, upper: is, composed: is, wrap: wraps, bold: is })
  fc.assert(
    fc.property(filler, filler, planted, noise, (before, after, quote, how) => {
      const text = [...before, ...quote, ...after].join(' ')
      const start = [...before, ''].join(' ').length
      const words = quote.map((one) => (how.bold ? `**${one}**` : one)).join(how.between)
      const cased = how.upper ? words.toUpperCase() : words.toLowerCase()
      const said = how.composed ? cased.normalize('NFC') : cased.normalize('NFD')
      const searchable = new Searchable(text)
      const [open, close] = how.wrap
      const files = [{ path: 'a.md', load: () => searchable }]
      const at = { file: 'a.md', line: 1, start, end: start + quote.join(' ').length }
      const found = verifyEvidence(`see ${open}${said}${close}`, { files, given: [] })
      expect(found).toEqual({ verified: 'exact', at, missing: [] })
    }),
    { numRuns: 300 },
  )
})

test('property: every character of a normalised text leads back to where it stood', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const { text: normal, offsets } = normalize(text)
      expect(offsets.length).toBe(normal.length)
      for (const [index, offset] of offsets.entries()) {
        expect(offset).toBeLessThan(text.length)
        if (index > 0) expect(offset).toBeGreaterThanOrEqual(offsets[index - 1] ?? 0)
      }
    }),
  )
})
