/** The page says what the benchmark says, and what the plan adds. */
import { expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { suiteCase } from '../../../fixtures/suite_case.ts'
import { pageIn } from '../../../viewer/unpack.ts'
import { arm, inputOf, oneOfEverything } from '../fixture.ts'
import { toHtml } from '../page_html.ts'

const complete = aggregate(inputOf([...arm(1, 'with_skill', ['++']), ...arm(1, 'without_skill', ['--'])]))
const cases = [suiteCase({ prompt: 'Add up the <sales>', eval_name: 'case-1' })]

test('a case has its prompt when the plan is given', () =>
  expect(pageIn(toHtml(complete, { cases })).cases[0]?.prompt).toBe('Add up the <sales>'))

test('a verdict whose quote was not found is told from one that was', () => {
  const expectations = [
    { text: 'x', passed: true, evidence: '"y"', evidence_verified: 'absent' },
    { text: 'z', passed: false, evidence: '"y"', evidence_verified: 'exact' },
  ]
  const made = aggregate(inputOf(arm(1, 'with_skill', ['+'], { grading: { expectations } })))
  expect(pageIn(toHtml(made)).runs.marks).toEqual(['p0'])
})

test('what has no verdict is a statement of the case and an open sign of the run', () => {
  const { cases: shown, runs } = pageIn(toHtml(aggregate(inputOf(arm(1, 'with_skill', ['+?'])))))
  expect(shown[0]?.statements).toHaveLength(2)
  expect([runs.marks, runs.undecided, runs.total]).toEqual([['1?'], [1], [1]])
})

test('the sentence on what is missing adds up to the planned runs, also for a reader without JavaScript', () => {
  const page = toHtml(aggregate(oneOfEverything))
  const sentence = pageIn(page).said.incomplete ?? ''
  const [graded = 0, planned, ...left] = [...sentence.matchAll(/\d+/g)].map(([number]) => Number(number))
  expect(left.reduce((sum, one) => sum + one, graded)).toBe(planned)
  expect(page).toContain('<strong>Incomplete.</strong> 19 of 26 planned runs are graded')
})

test('a run that ran out of time is told from one that failed at its task', () => {
  const { runs } = pageIn(toHtml(aggregate(oneOfEverything)))
  expect(runs.timed_out.filter((one) => one === 1)).toHaveLength(1)
  const decided_by = 'timeout'
  const expectations = [{ text: 'x', passed: false, evidence: 'late', decided_by }]
  const late = aggregate(
    inputOf(arm(1, 'with_skill', ['-'], { record: { status: 'timed_out' }, grading: { expectations } })),
  )
  const page = pageIn(toHtml(late))
  expect([page.runs.timed_out, page.cases[0]?.statements[0]?.decided_by]).toEqual([[1], null])
})
