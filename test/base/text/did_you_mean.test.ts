/** A word outside a closed set gets its nearest words, else the whole set. */
import { expect, test } from 'vitest'
import { didYouMean, suggestChoice } from '../../../src/base/text/did_you_mean.ts'

const known = ['hurts', 'helps', 'inconclusive']

test.each([
  ['hurt', 'did you mean "hurts"?'],
  ['inconclusiv', 'did you mean "inconclusive"?'],
  ['banana', 'expected one of hurts, helps, inconclusive'],
])('%s: %s', (word, hint) => expect(suggestChoice(word, known)).toBe(hint))

test('several near words', () => expect(didYouMean('helts', known)).toBe('did you mean "helps" or "hurts"?'))
test('no near word', () => expect(didYouMean('banana', known)).toBeNull())
test('a word of which no letter stays is not near', () => {
  expect(didYouMean('gpt', ['pi'])).toBeNull()
  expect(didYouMean('ip', ['pi'])).toBe('did you mean "pi"?')
})
