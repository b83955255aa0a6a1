/** A word outside a closed set gets its nearest words, else the whole set; a path that does not exist, what is near it in its folder. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { suggestPath } from '../../../src/base/fs/nearest_path.ts'
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

const root = mkdtempSync(path.join(tmpdir(), 'nearest-path-'))
mkdirSync(path.join(root, 'skills/invoice-totals/evals'), { recursive: true })
mkdirSync(path.join(root, 'skills/pdf'))
writeFileSync(path.join(root, 'skills/pdf/SKILL.md'), '')

test.each([
  ['skills/invoice-total', 'skills/invoice-totals'],
  ['skill/invoice-totals', 'skills/invoice-totals'],
  ['skills/invoice-totlas/evals', 'skills/invoice-totals/evals'],
  ['skills/pdf/SKILLS.md', 'skills/pdf/SKILL.md'],
  ['skills\\pdf', 'skills/pdf'],
])('%s: %s', (given, near) => {
  const [from, to] = [given, near].map((one) => `${root}/${one}`)
  expect(suggestPath(from ?? '')).toBe(`did you mean "${to}"?`)
})

test.each(['skills/weather', 'skills/invoice-total/none', 'no/such/place', 'ab'])('nothing is near %s', (given) => {
  expect(suggestPath(`${root}/${given}`)).toBeNull()
})
