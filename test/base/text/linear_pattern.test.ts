/** Patterns of suites match with RE2 what JavaScript matches, and end on every text. */
import fc from 'fast-check'
import { RE2JS } from 're2js'
import { describe, expect, test } from 'vitest'
import { findPattern } from '../../../src/base/process/find_pattern.ts'
import { toLinearPattern } from '../../../src/base/text/linear_pattern.ts'

const texts = [
  ...[
    '',
    'a',
    'A b',
    'total: 42',
    'x\ny',
    'x\r\ny',
    'a-b_c',
    '\u2028',
    '\u00a0',
    'é É',

    '\\d',
    ']',
    'a{,3}',
    '{2}',
    '$^',
    '\b',
    '\u0001',
    '\0',
    'aab',
    'red_team steelman',
    '2026-11-29',
    'u{41}',
    'Straße',
  ],
]

/** Where RE2 finds the pattern; undefined: it cannot run it. */
function locate(pattern: string, flags: string, text: string): number | null | undefined {
  const linear = toLinearPattern(pattern, flags)
  if (linear === null || (linear.needsPlainLines && /[\r\u2028\u2029]/.test(text))) return undefined
  const match = RE2JS.compile(linear.source, linear.ignoreCase ? RE2JS.CASE_INSENSITIVE : 0).matcher(text)
  return match.find() ? match.start() : null
}

describe('the same place as in JavaScript', () => {
  test.each([
    ...String.raw`a ^a$ . ^.$ x.y [^] [] [^a] \s \S [\s] [^\S] \d+ \bb \B [\b] \cA \0`.split(' '),
    ...String.raw`\u0041 \x41 a\/b \- \_ [a\-b] [a-] [-a] [\w-a] [\d-] [[] [!-(?:] a{,3} { x{ } ] \]`.split(' '),
    ...String.raw`(?<year>\d{4})-(?<m>\d\d) (?:a|b)+?b (a*)*b (|a)b \e \y \v \$\^ (red.team.*steelman|counter.claim) a{2}b u{2} \\d`.split(
      ' ',
    ),
  ])('%s', (pattern) => {
    for (const flags of ['', 'i', 'm', 's', 'is', 'ms'])
      for (const text of texts) {
        const place = locate(pattern, flags, text)
        expect(place, `${flags} ${JSON.stringify(text)}`).toBe(
          place === undefined ? undefined : (new RegExp(pattern, flags).exec(text)?.index ?? null),
        )
      }
    expect(locate(pattern, '', 'a')).not.toBe(undefined)
  })

  test.each(['\\p{L}+', '[\\p{Lu}]', '\\u{41}', '\\ud83d\\ude00', '[\\ud83d\\ude00]', '^.$', '\\u{1F600}'])(
    'with u: %s',
    (pattern) => {
      for (const text of texts)
        expect(locate(pattern, 'u', text)).toBe(new RegExp(pattern, 'u').exec(text)?.index ?? null)
    },
  )

  test('of any pattern and text', () => {
    const part = fc.constantFrom(
      'a',
      'b',
      '.',
      '\\s',
      '\\w',
      '\\b',
      '[^a]',
      '[a-c\\n]',
      '^',
      '$',
      '(?:a|bb)',
      '(b)',
      '\\n',
      '-',
      'B',
      'é',
    )
    const count = fc.constantFrom('', '', '', '*', '+?', '{2}', '{1,}', '??')
    const piece = fc.tuple(part, count).map(([one, times]) => (/^(?:\\b|\^|\$)$/.test(one) ? one : one + times))
    const pattern = fc
      .array(fc.array(piece, { maxLength: 5 }), { minLength: 1, maxLength: 3 })
      .map((all) => all.map((one) => one.join('')).join('|'))
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'B', 'c', ' ', '\n', '-', 'é', 'É', '1'), maxLength: 12 })
    fc.assert(
      fc.property(pattern, text, fc.constantFrom('', 'i', 'm', 's', 'im'), (one, where, flags) => {
        expect(locate(one, flags, where)).toBe(new RegExp(one, flags).exec(where)?.index ?? null)
      }),
      { numRuns: 2000 },
    )
  })
})

test.each(['(?=a)', '(?!a)b', '(?<=a)b', '(?<!a)b', '(a)\\1', '(?<n>a)\\k<n>', '\\01', '\\ud83d', '[\\1]'])(
  'RE2 lacks %s',
  (pattern) => {
    expect(toLinearPattern(pattern, '')).toBe(null)
  },
)

test.each([
  ['what differs: a character beyond U+FFFF is one character, as with the flag u', '^.$', '', '😀', 0, null],
  ['what differs: case as with the flag u', 'ſ', 'i', 's', 0, null],
])('%s', (_, pattern, flags, text, linear, javascript) => {
  expect(locate(pattern, flags, text)).toBe(linear)
  expect(new RegExp(pattern, flags).exec(text)?.index ?? null).toBe(javascript)
})

describe('a search ends', () => {
  const signal = new AbortController().signal
  const long = `${'a'.repeat(50_000)}!`

  test.each(['^(a+)+$', '(a|a)*b', '(.*a){12}b', '(\\w+\\s?)+$x', '^(([a-z])+.)+[A-Z]([a-z])+$'])(
    '%s',
    async (pattern) => {
      expect(await findPattern({ pattern }, [long], signal)).toEqual({ value: { index: -1, at: -1 } })
    },
  )
  test('with a text that is too long for this thread, and after other texts', async () => {
    expect(await findPattern({ pattern: '(a+)+!$' }, ['no', long.repeat(20)], signal)).toEqual({
      value: { index: 1, at: 950_019 },
    })
  })
  test('an odd end of line is one in JavaScript too', async () => {
    expect(await findPattern({ pattern: 'b$', flags: 'm' }, ['ab\r\nc'], signal)).toEqual({
      value: { index: 0, at: 1 },
    })
  })
})
