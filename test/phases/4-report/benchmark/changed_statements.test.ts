/** What changed between the configurations: what several cases have, each case once, largest difference first. */
import { expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { listChangedStatements } from '../../../../src/phases/4-report/benchmark/changed_statements.ts'
import { arm, inputOf } from '../fixture.ts'

const statements = ['It is short', 'It is neat', 'The agent read SKILL.md']
const tested = (passed: boolean) => ({
  grading: {
    expectations: [{ text: 'The script passes', passed, evidence: '', score: 0.5, tests: [{ name: 'types', passed }] }],
  },
})
const lines = [
  ...arm(1, 'with_skill', ['+-+', '+-+'], { statements }),
  ...arm(1, 'without_skill', ['+--', '---'], { statements }),
  ...arm(2, 'with_skill', ['--+'], { statements }),
  ...arm(2, 'without_skill', ['-+-'], { statements }),
  // in one configuration only
  ...arm(3, 'with_skill', ['+'], { statements: ['It is short'] }),
  ...arm(4, 'with_skill', ['+'], tested(true)),
  ...arm(4, 'without_skill', ['+'], tested(false)),
  ...arm(5, 'with_skill', ['+'], tested(true)),
  ...arm(5, 'without_skill', ['+'], tested(false)),
]

test('statements and tests of several cases; no indicators, and no case of one configuration', () => {
  const { changed } = listChangedStatements(aggregate(inputOf(lines)))
  expect(changed?.title).toBe('What changed with the skill')
  expect(changed?.rows.map(({ kind, text, cases, shown }) => [kind, text, cases.join(), shown.difference])).toEqual([
    ['test', 'types', '4,5', '+100'],
    ['statement', 'It is neat', '1,2', '-50'],
    ['statement', 'It is short', '1,2', '+25'],
    ['statement', 'The script passes', '4,5', '+0'],
  ])
})

test('nothing, if each statement belongs to one case or one configuration has no runs', () => {
  const own = lines.filter(({ evalId }) => evalId === 1)
  const alone = lines.filter((line) => line.arm === 'with_skill')
  for (const some of [own, alone]) expect(listChangedStatements(aggregate(inputOf(some)))).toEqual({})
})
