/** The page says what the benchmark says, and what the plan adds. */
import { describe, expect, test } from 'vitest'
import { suiteCase } from '../../../../schemas/suite.ts'
import { aggregate } from '../../../../src/phases/4-report/benchmark/aggregate.ts'
import { toHtml } from '../../../../src/phases/4-report/text/html.ts'
import { packsIn, pageIn } from '../../../viewer/unpack.ts'
import { arm, inputOf, oneOfEverything } from '../fixture.ts'

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
    expect(page).toContain('<strong>Incomplete.</strong> 19 of 26 planned runs are graded')
    expect(pageIn(page).said.incomplete).toContain('19 of 26 planned runs are graded')
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
  test('also where nothing of the run was decided', () => {
    const { cases, runs } = made('??')
    expect(cases[0]?.statements).toHaveLength(2)
    expect([runs.status, runs.marks, runs.undecided]).toEqual([['judge_error'], ['??'], [2]])
  })
  test('is told from what was never asked of a run', () => {
    const page = pageIn(toHtml(aggregate(inputOf(arm(1, 'with_skill', ['++', '+'])))))
    expect(page.runs.marks).toEqual(['11', '1-'])
  })
  test('lies in the pack with its reason', () => {
    const page = toHtml(aggregate(inputOf(arm(1, 'with_skill', ['+?']))))
    expect(packsIn(page)[0]?.[0]?.undecided?.[0]?.reason).toBe('no usable answer after one repair')
  })
})

describe('the sentence on what is missing', () => {
  const { said } = pageIn(toHtml(aggregate(oneOfEverything)))
  const sentence = said.incomplete ?? ''
  test('adds up to the planned runs', () => {
    const [graded = 0, planned, ...left] = [...sentence.matchAll(/\d+/g)].map(([number]) => Number(number))
    expect(left.reduce((sum, one) => sum + one, graded)).toBe(planned)
  })
  test('names undecided expectations apart from runs', () => {
    const lines = [...arm(1, 'with_skill', ['+?']), ...arm(1, 'without_skill', ['-?'])]
    const [runs = '', open = ''] = (pageIn(toHtml(aggregate(inputOf(lines)))).said.incomplete ?? '').split(
      '. In graded runs ',
    )
    expect(runs).not.toContain('undecided')
    expect(open).toMatch(/^2 expectations stayed undecided/)
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

test('a case that cannot run says why', () => {
  const { cases } = pageIn(toHtml(aggregate(oneOfEverything)))
  expect(
    cases.filter(({ cannot_run }) => cannot_run !== null).map(({ eval_id, cannot_run }) => [eval_id, cannot_run]),
  ).toEqual([[6, 'evals/files/missing.csv: no such file']])
})

test('evidence lies in packs, whole', () => {
  const expectations = [{ text: 'x', passed: true, evidence: 'e'.repeat(5000) }]
  const page = toHtml(aggregate(inputOf(arm(1, 'with_skill', ['+'], { grading: { expectations } }))))
  expect(packsIn(page)[0]?.[0]?.expectations[0]?.evidence).toBe('e'.repeat(5000))
})
