/** Values of a judge's answer that are not of the required type: converted where they mean one thing only. */
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { fitAnswer } from '../../../src/engines/ask/ask.ts'
import { judgeAnswer, readVerdicts } from '../../../src/phases/3-judge/judge/judge_answer.ts'

const { $schema: _, ...schema } = z.toJSONSchema(judgeAnswer, { io: 'input' })
const read = (answer: unknown) => judgeAnswer.safeParse(fitAnswer(answer, schema))
const evidence = 'e'

describe('passed', () => {
  test.each([
    [true, true],
    ['True', true],
    [' yes ', true],
    ['pass', true],
    ['PASSED', true],
    [false, false],
    ['no', false],
    ['fail', false],
    ['failed', false],
    [1, null],
    ['mostly', null],
    ['not passed', null],
    ['', null],
    [null, null],
    [[true], null],
  ])('%j is %j', (passed, expected) => {
    const answer = read({ verdicts: [{ n: 1, passed, evidence }] })
    expect(answer.success ? answer.data.verdicts[0]?.passed : null).toBe(expected)
  })
})

describe('n', () => {
  test.each([
    [1, 1],
    ['1', 1],
    [' 2 ', 2],
    ['E1', null],
    [null, null],
    [undefined, null],
  ])('%j is %j', (n, expected) => {
    const answer = read({ verdicts: [{ n, passed: true, evidence }] })
    expect(answer.success ? answer.data.verdicts[0]?.n : null).toBe(expected)
  })
})

const texts = ['The total is 42', 'The file is there, and it holds the total', 'The file is there, and it is short']

describe('verdicts', () => {
  const two = [
    { n: 1, passed: true, evidence },
    { n: 2, passed: false, evidence },
  ]
  test.each([
    ['by number', { 1: { passed: true, evidence }, 2: { passed: 'no', evidence } }],
    ['by number, in another order', { 2: { n: '2', passed: false, evidence }, 1: { n: 1, passed: true, evidence } }],
    ['as text in Python', "[{'n': 1, 'passed': True, 'evidence': 'e'}, {'n': 2, 'passed': False, 'evidence': 'e'}]"],
  ])('%s', (_, verdicts) => {
    const answer = read({ verdicts })
    const found = answer.success ? readVerdicts(answer.data, texts.slice(0, 2)) : []
    expect(found).toEqual(two.map(({ n: _n, ...verdict }) => verdict))
  })
  test.each([
    ['by a number that its entry denies', { 1: { n: 2, passed: true, evidence } }],
    ['by name', { first: { passed: true, evidence } }],
    ['by number without an entry', { 1: true }],
    ['as one entry', { n: 1, passed: true, evidence }],
    ['as text that is cut', JSON.stringify(two).slice(0, -4)],
    ['as a word', 'all passed'],
  ])('not %s', (_, verdicts) => expect(read({ verdicts }).success).toBe(false))

  test('a missing number is an error of that expectation, two that differ are an error', () => {
    const one = { passed: true, evidence }
    const differ = read({ verdicts: [...two, { n: '2', passed: 'true', evidence }] })
    expect(differ.success && readVerdicts(differ.data, texts.slice(0, 2))).toEqual([
      one,
      { error: 'the judge gave verdicts that contradict' },
    ])
    const missing = read({
      verdicts: [
        { n: 1, ...one },
        { n: 2, ...one },
      ],
    })
    expect(missing.success && readVerdicts(missing.data, texts)).toEqual([
      one,
      one,
      { error: 'the judge gave no verdict' },
    ])
  })
  test.each([
    ['words of their own', ['The total is 42', 'the FILE  is there, and it', 'The file is there, and it'], null],
    ['no words, or words of none', ['', 'The first one', 'n/a'], null],
    ['words of each other', [texts[1], texts[0], texts[2]], 'number 1 begins with the words of number 2'],
    ['one with the words of another', ['The total', 'The total', ''], 'number 2 begins with the words of number 1'],
  ])('with %s', (_, about, error) => {
    const answer = read({ verdicts: about.map((one, index) => ({ n: index + 1, about: one, passed: true, evidence })) })
    const wanted = error === null ? { passed: true, evidence } : { error: expect.stringContaining(error) }
    expect(answer.success && readVerdicts(answer.data, texts)).toEqual([wanted, wanted, wanted])
  })
  test.each([[[1, 1, 2]], [[2, 2, 3]], [[2, 3]]])(
    'numbered %j of three: the others may be shifted, none counts',
    (numbers) => {
      const answer = read({ verdicts: numbers.map((n) => ({ n, passed: true, evidence })) })
      const error = expect.stringContaining('the others may be shifted')
      expect(answer.success && readVerdicts(answer.data, texts)).toEqual([{ error }, { error }, { error }])
    },
  )
  test.each([[[0, 1]], [[0]], [[2, 3]], [[1, 2, 3]], [[1, 1.5]]])(
    'numbered %j, they may be shifted: none counts',
    (numbers) => {
      const answer = read({ verdicts: numbers.map((n) => ({ n, passed: true, evidence })) })
      const error = expect.stringContaining('the numbers are 1 to 2')
      expect(answer.success && readVerdicts(answer.data, texts.slice(0, 2))).toEqual([{ error }, { error }])
    },
  )
})

test('scores of a rubric and null', () => {
  const rubric = { scores: [{ dimension: 'clarity', score: '4', justification: 'j' }], hard_fails: [] }
  expect(read({ verdicts: [], rubric }).data?.rubric?.scores[0]?.score).toBe(4)
  expect(read({ verdicts: [], rubric: null }).data?.rubric).toBeNull()
})
