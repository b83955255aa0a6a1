/** The headline of the terminal in parts, so that the page says each number once. */
import { describe, expect, test } from 'vitest'
import { isSimilarCases, isUnreadNote, splitHeadline, withoutVerdict } from '../../../viewer/views/overview/headline.ts'

const helps =
  'Helps: pass rate 94.4% with the skill, 32.9% without: +61.5 points, 95% CI [43, 81], p < 0.001 (4 cases × 3 runs).'

describe('the headline', () => {
  test.each<[string, boolean, ReturnType<typeof splitHeadline>]>([
    [
      helps,
      true,
      { verdict: 'Helps: +61.5 points, 95% CI [43, 81], p < 0.001', sample: '4 cases × 3 runs', advice: '' },
    ],
    [helps, false, { verdict: helps.slice(0, helps.indexOf(' (')), sample: '4 cases × 3 runs', advice: '' }],
    [
      'old_skill loses to new_skill: pass rate 8% for old_skill, 92% for new_skill: -84 points (1 case × 2 runs). Add runs.',
      true,
      { verdict: 'old_skill loses to new_skill: -84 points', sample: '1 case × 2 runs', advice: 'Add runs.' },
    ],
    [
      'B against A: Worse: pass rate 0% after, 100% before: -100 points, p = 0.02 (2 cases). Similar cases: inconclusive.',
      true,
      {
        verdict: 'B against A: Worse: -100 points, p = 0.02',
        sample: '2 cases',
        advice: 'Similar cases: inconclusive.',
      },
    ],
    ['No result: no run is graded.', true, { verdict: 'No result: no run is graded.', sample: '', advice: '' }],
  ])('%s %s', (headline, withoutRates, parts) => expect(splitHeadline(headline, withoutRates)).toEqual(parts))
})

test.each([
  [
    'Similar cases: inconclusive, too few for an interval (4 cases); add 3 cases.',
    'Too few for an interval (4 cases); add 3 cases.',
  ],
  ['Similar cases: helps, +62 points, 95% CI [39, 84], p < 0.001 (8 cases).', '95% CI [39, 84], p < 0.001 (8 cases).'],
  [
    'Similar cases: inconclusive, -3 points, 95% CI [-9, 3] (8 cases); add 2 cases.',
    '95% CI [-9, 3] (8 cases); add 2 cases.',
  ],
  ['Similar cases: not tested in a calibration.', 'Similar cases: not tested in a calibration.'],
])('%s', (sentence, shown) => {
  expect(isSimilarCases(sentence)).toBe(true)
  expect(withoutVerdict(sentence)).toBe(shown)
})

test('the note that the banner shows', () => {
  expect(isUnreadNote('The skill was not read in any of the 3 runs that had it: check.')).toBe(true)
  expect(isUnreadNote('The new version was not read in 1 of 3 runs: check.')).toBe(true)
  expect(isUnreadNote('Similar cases: helps.')).toBe(false)
})
