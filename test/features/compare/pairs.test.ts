/** What a comparison's judge is told of a case: its expectations, without those that say nothing of the outcome or give weights away. */
import { expect, test } from 'vitest'
import { buildComparisonTask } from '../../../src/features/compare/pairs.ts'
import { suiteCase } from '../../fixtures/suite_case.ts'

const rubric = { dimensions: [{ name: 'accuracy', weight: 60 }] }

test('neither indicators nor the statement on a rubric', () => {
  const expectations = [
    { text: 'The total is 42' },
    { text: 'It read the skill', indicator: true },
    { text: 'Rubric: accuracy 60 %', rubric },
    { text: 'It names the Ocean', indicator: false },
  ]
  expect(buildComparisonTask(suiteCase({ expectations })).expectations).toEqual([
    'The total is 42',
    'It names the Ocean',
  ])
})
