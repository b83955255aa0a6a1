/** The advice in the sentence of an inconclusive verdict, and the second sentence where it is more certain than the first. */
import { expect, test } from 'vitest'
import {
  similarCasesSentence,
  theseCasesSentence,
} from '../../../../src/phases/4-report/stats/scopes/verdict_sentences.ts'

const context = {
  pairing: 'skill',
  candidate: 'with_skill',
  baseline: 'without_skill',
  alpha: 0.05,
  margin: 0.1,
  runs: [4, 4],
  unpaired: 0,
  isSequential: false,
} as const

const difference = {
  mean: 0.2,
  ci_low: -0.01,
  ci_high: 0.41,
  method: 'moderated_t',
  p_value: 0.06,
  p_method: 'moderated_t',
  n_cases: 20,
  n_runs: 160,
} as const

test.each([
  [5, 5, 'About 1 more run per case'],
  [5, 6, 'About 1–2 more runs per case'],
  [6, 6, 'About 2 more runs per case'],
])('%d to %d runs instead of 4', (needed_low, needed, expected) => {
  const scope = { difference, verdict: 'inconclusive', rule: 'the interval includes 0', needed, needed_low } as const
  expect(theseCasesSentence(scope, { candidate: 0.6, baseline: 0.4 }, context)).toContain(expected)
})

const why = 'The cases agree closely, but each has too few runs for a verdict on these cases alone.'
test.each([
  ['inconclusive', 'helps', true],
  ['inconclusive', 'hurts', true],
  ['inconclusive', 'no_difference', true],
  ['no_difference', 'hurts', true],
  ['inconclusive', 'inconclusive', false],
  ['helps', 'inconclusive', false],
  ['too_easy', 'too_easy', false],
] as const)('these cases %s, similar cases %s: explained %s', (own, verdict, isExplained) => {
  const similar = { ...difference, ci_low: 0.08, ci_high: 0.32, p_value: 0.004 }
  const scope = { difference: similar, verdict, rule: 'r', needed: null, needed_low: null } as const
  const sentence = similarCasesSentence(scope, own, context)
  expect(sentence).toContain('+20 points, 95% CI [8, 32], p = 0.004 (20 cases).')
  expect(sentence.endsWith(why)).toBe(isExplained)
})
