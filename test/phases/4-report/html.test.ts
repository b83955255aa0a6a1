/** The page says what the benchmark says, and what the plan adds. */
import { describe, expect, test } from 'vitest'
import { suiteCase } from '../../../schemas/suite.ts'
import { aggregate } from '../../../src/phases/4-report/aggregate.ts'
import { toHtml } from '../../../src/phases/4-report/html.ts'
import { packsIn, pageIn } from '../../viewer/unpack.ts'
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

describe('what is missing', () => {
  test('is said when runs are missing, also to a reader without JavaScript', () => {
    const page = toHtml(aggregate(oneOfEverything))
    expect(page).toContain('<strong>Incomplete.</strong> 20 of 26 planned runs are graded')
    expect(pageIn(page).said.incomplete).toContain('20 of 26 planned runs are graded')
  })
  test('is not said when all is graded', () => expect(pageIn(toHtml(complete)).said.incomplete).toBeNull())
})

describe('a case', () => {
  test('has its prompt when the plan is given', () =>
    expect(pageIn(toHtml(complete, { cases })).cases[0]?.prompt).toBe('Add up the <sales>'))
  test('has none without it', () => expect(pageIn(toHtml(complete)).cases[0]?.prompt).toBeNull())
})

describe('the columns', () => {
  const page = pageIn(toHtml(aggregate(oneOfEverything)))
  test('have one entry a planned run each', () => {
    expect(new Set(Object.values(page.runs).map((column) => column.length))).toEqual(new Set([26]))
  })
  test('say what a run came to, statement by statement, and which runs are in no rate', () => {
    const at = page.runs.case.findIndex(
      (one, index) => page.cases[one]?.eval_id === 2 && page.runs.number[index] === 3 && page.runs.arm[index] === 0,
    )
    expect(page.runs.marks[at]).toBe('1110')
    expect(page.runs.status.filter((status) => status !== 'graded').length).toBe(6)
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

test('evidence lies in packs, whole', () => {
  const expectations = [{ text: 'x', passed: true, evidence: 'e'.repeat(5000) }]
  const page = toHtml(aggregate(inputOf(arm(1, 'with_skill', ['+'], { grading: { expectations } }))))
  expect(packsIn(page)[0]?.[0]?.expectations[0]?.evidence).toBe('e'.repeat(5000))
})
