/** The page says what the benchmark says, and what the plan adds. */
import { describe, expect, test } from 'vitest'
import { suiteCase } from '../../../schemas/suite.ts'
import { aggregate } from '../../../src/phases/4-report/aggregate.ts'
import { toHtml } from '../../../src/phases/4-report/html.ts'
import { arm, inputOf, oneOfEverything } from './fixture.ts'

const complete = aggregate(inputOf([...arm(1, 'with_skill', ['++']), ...arm(1, 'without_skill', ['--'])]))
const cases = [
  suiteCase.parse({
    eval_id: 1,
    eval_key: null,
    eval_name: 'case-1',
    prompt: 'Add up the <sales>',
    expected_output: null,
    files: [],
    expectations: [{ text: 'x' }],
    checks: [],
    reference: null,
    timeout_seconds: null,
    setup: null,
    git: null,
    cannot_run: null,
  }),
]

describe('the banner', () => {
  test('is there when runs are missing', () => {
    expect(toHtml(aggregate(oneOfEverything))).toContain(
      '<strong>Incomplete.</strong> 20 of 26 planned runs are graded',
    )
  })
  test('is not there when all is graded', () => expect(toHtml(complete)).not.toContain('Incomplete'))
})

describe('a case', () => {
  test('shows its prompt when the plan is given', () =>
    expect(toHtml(complete, { cases })).toContain('Add up the &lt;sales&gt;'))
  test('shows none without it', () => expect(toHtml(complete)).not.toContain('<h3>Prompt</h3>'))
  test('that cannot run says why', () => {
    expect(toHtml(aggregate(oneOfEverything))).toContain('cannot run: evals/files/missing.csv: no such file')
  })
  test('without criteria says so', () => {
    expect(toHtml(aggregate(oneOfEverything))).toContain('ungraded: no expectations, no checks')
  })
})

test('long evidence is cut, and says how much is left', () => {
  const expectations = [{ text: 'x', passed: true, evidence: 'e'.repeat(5000) }]
  const page = toHtml(aggregate(inputOf(arm(1, 'with_skill', ['+'], { grading: { expectations } }))))
  expect(page).toContain('1,000 more characters in grading.json')
  expect(page).not.toContain('e'.repeat(4001))
})
