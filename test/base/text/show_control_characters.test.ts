/** What acts on a terminal is shown by its code; text that does not is left as it is. */
import { expect, test } from 'vitest'
import { makeVisible } from '../../../src/base/text/show_control_characters.ts'
import { findExactly, Searchable } from '../../../src/phases/3-judge/evidence/find_quote.ts'

test.each([
  ['\u001b]52;c;YQ==\u0007', '⟨U+001B⟩]52;c;YQ==⟨U+0007⟩'],
  ['\u009b31m', '⟨U+009B⟩31m'],
  ['a\u202eb\u2066c', 'a⟨U+202E⟩b⟨U+2066⟩c'],
  ['over\rwritten', 'over⟨U+000D⟩written'],
  ['\u007f\u0008\u0000', '⟨U+007F⟩⟨U+0008⟩⟨U+0000⟩'],
  ['line\r\nline\n\ttab ünïcödé 👩‍👩‍👧 ⟨', 'line\r\nline\n\ttab ünïcödé 👩‍👩‍👧 ⟨'],
])('%j', (text, shown) => expect(makeVisible(text)).toBe(shown))

test('a quote without the control characters is found where they are shown by their codes', () => {
  const text = makeVisible('the tests say \u001b[32m42 passed\u001b[0m today')
  const found = findExactly('say [32m42 passed[0m today', new Searchable(text))
  expect(found && text.slice(found.start, found.end)).toBe('say ⟨U+001B⟩[32m42 passed⟨U+001B⟩[0m today')
  expect(findExactly('say [32m43 passed', new Searchable(text))).toBeNull()
})
