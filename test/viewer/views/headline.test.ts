/** The headline of the terminal in parts, so that the page says each number once. */
import { describe, expect, test } from 'vitest'
import {
  isShownElsewhere,
  isSimilarCases,
  isUnreadNote,
  splitHeadline,
  withoutReasons,
  withoutVerdict,
} from '../../../viewer/views/overview/headline.ts'

const helps =
  'Helps: pass rate 94.4% with the skill, 32.9% without: +61.5 points, 95% CI [43, 81], p < 0.001 (4 cases × 3 runs).'

describe('the headline', () => {
  test.each<[string, boolean, ReturnType<typeof splitHeadline>]>([
    [
      helps,
      true,
      { verdict: 'Helps: +61.5 points, 95% CI [43, 81], p < 0.001', sample: '4 cases × 3 runs', advice: '' },
    ],
    [
      'old_skill loses to new_skill: pass rate 8% for old_skill, 92% for new_skill: -84 points (1 case × 2 runs). Add runs.',
      true,
      { verdict: 'old_skill loses to new_skill: -84 points', sample: '1 case × 2 runs', advice: 'Add runs.' },
    ],
    ['No result: no run is graded.', true, { verdict: 'No result: no run is graded.', sample: '', advice: '' }],
  ])('%s %s', (headline, withoutRates, parts) => expect(splitHeadline(headline, withoutRates)).toEqual(parts))
})

test.each([
  [
    'Similar cases: helps, +62 points, 95% CI [39, 84], p < 0.001 (8 cases).',
    '9 cases × 3 runs',
    '95% CI [39, 84], p < 0.001 (8 cases).',
  ],
  [
    'Similar cases: inconclusive, -3 points, 95% CI [-9, 3] (8 cases); add 2 cases.',
    '8 cases × 1–3 runs',
    '95% CI [-9, 3]; add 2 cases.',
  ],
  ['Similar cases: not tested in a calibration.', '', 'Similar cases: not tested in a calibration.'],
])('%s', (sentence, sample, shown) => {
  expect(isSimilarCases(sentence)).toBe(true)
  expect(withoutVerdict(sentence, sample)).toBe(shown)
})

test('the note that the banner shows', () => {
  expect(isUnreadNote('The skill was not read in any of the 3 runs that had it: check.')).toBe(true)
  expect(isUnreadNote('The new version was not read in 1 of 3 runs: check.')).toBe(true)
  expect(isUnreadNote('Similar cases: helps.')).toBe(false)
})

test.each([
  ['With the skill runs take 1.49× the time (95% CI 1.15 to 1.94) and 1.73× the tokens (95% CI 1.62 to 1.85).', true],
  ['5 of 26 planned runs are not in the rates: 1 failed (rate_limited) in without_skill.', true],
  ['3 expectations in 2 runs could not be judged and are excluded from the pass rates (no usable answer).', false],
])('shown elsewhere on the page: %s', (note, isShown) => expect(isShownElsewhere(note)).toBe(isShown))

test.each([
  [
    '19 of 26 planned runs are graded; excluded: 1 failed (rate limited), 1 missing; 2 without criteria by design. Read the numbers with care.',
    '19 of 26 planned runs are graded. Read the numbers with care.',
  ],
  [
    '6 of 6 planned runs are graded. Read the numbers with care.',
    '6 of 6 planned runs are graded. Read the numbers with care.',
  ],
])('%s', (sentence, shown) => expect(withoutReasons(sentence)).toBe(shown))
