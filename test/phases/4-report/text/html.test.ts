/** The page says what the benchmark says, and what the plan adds. */
import { describe, expect, test } from 'vitest'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { toHtml } from '../../../../src/phases/4-report/text/html.ts'
import { suiteCase } from '../../../fixtures/suite_case.ts'
import { pageIn } from '../../../viewer/unpack.ts'
import { arm, inputOf, oneOfEverything } from '../fixture.ts'

const complete = aggregate(inputOf([...arm(1, 'with_skill', ['++']), ...arm(1, 'without_skill', ['--'])]))
const cases = [suiteCase({ prompt: 'Add up the <sales>', eval_name: 'case-1' })]

describe('what is missing', () => {
  test('is said when runs are missing, also to a reader without JavaScript', () => {
    const page = toHtml(aggregate(oneOfEverything))
    expect(page).toContain('<strong>Incomplete.</strong> 19 of 26 planned runs are graded')
    expect(pageIn(page).said.incomplete).toContain('19 of 26 planned runs are graded')
  })
})

describe('a case', () => {
  test('has its prompt when the plan is given', () =>
    expect(pageIn(toHtml(complete, { cases })).cases[0]?.prompt).toBe('Add up the <sales>'))
})

describe('the columns', () => {
  const page = pageIn(toHtml(aggregate(oneOfEverything)))
  test('say what a run came to, statement by statement, and which runs are in no rate', () => {
    const at = page.runs.case.findIndex(
      (one, index) => page.cases[one]?.eval_id === 2 && page.runs.number[index] === 3 && page.runs.arm[index] === 0,
    )
    expect(page.runs.marks[at]).toBe('1110')
    expect(page.runs.status.filter((status) => status !== 'graded').length).toBe(7)
  })
  test('a verdict whose quote was not found is told from one that was', () => {
    const expectations = [
      { text: 'x', passed: true, evidence: '"y"', evidence_verified: 'absent' },
      { text: 'z', passed: false, evidence: '"y"', evidence_verified: 'exact' },
    ]
    const made = aggregate(inputOf(arm(1, 'with_skill', ['+'], { grading: { expectations } })))
    expect(pageIn(toHtml(made)).runs.marks).toEqual(['p0'])
  })
})

describe('what has no verdict', () => {
  const made = (verdicts: string) => pageIn(toHtml(aggregate(inputOf(arm(1, 'with_skill', [verdicts])))))
  test('is a statement of the case and an open sign of the run', () => {
    const { cases, runs } = made('+?')
    expect(cases[0]?.statements.map(({ text }) => text)).toEqual([
      'The total is 1284.50',
      'The report names every region',
    ])
    expect([runs.marks, runs.undecided, runs.total]).toEqual([['1?'], [1], [1]])
  })
})

describe('the sentence on what is missing', () => {
  const { said } = pageIn(toHtml(aggregate(oneOfEverything)))
  const sentence = said.incomplete ?? ''
  test('adds up to the planned runs', () => {
    const [graded = 0, planned, ...left] = [...sentence.matchAll(/\d+/g)].map(([number]) => Number(number))
    expect(left.reduce((sum, one) => sum + one, graded)).toBe(planned)
  })
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
