/** Other tools' text checks as regular expressions: the same verdict on every text as their plain meaning. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  allTextsPattern,
  anyTextPattern,
  prefixPattern,
  suffixPattern,
} from '../../../src/features/other_assertions/foreign_readings.ts'

const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '^', '$', '(', '[', '\\', '/', '\n', 'A'), maxLength: 8 })
const some = text.filter((one) => one !== '')
const flags = fc.constantFrom('', 'i', 's', 'u')
const plain = (flag: string, one: string) => (flag.includes('i') ? one.toLowerCase() : one)

test('begins, ends, one of, all of', () => {
  fc.assert(
    fc.property(text, fc.array(some, { minLength: 1, maxLength: 3 }), flags, (whole, parts, flag) => {
      const [first = ''] = parts
      const [of, all] = [plain(flag, whole), parts.map((one) => plain(flag, one))]
      const is = (pattern: string) => new RegExp(pattern, flag).test(whole)
      expect(is(prefixPattern(first))).toBe(of.startsWith(plain(flag, first)))
      expect(is(suffixPattern(first))).toBe(of.endsWith(plain(flag, first)))
      expect(is(anyTextPattern(parts))).toBe(all.some((one) => of.includes(one)))
      expect(is(allTextsPattern(parts))).toBe(all.every((one) => of.includes(one)))
    }),
    { numRuns: 1000 },
  )
})
