/** --case: by id, key, name or glob; a typo is an error with the nearest. */
import { describe, expect, test } from 'vitest'
import type { Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../../src/base/errors/error.ts'
import { selectCases } from '../../../../src/phases/1-plan/suite/select_cases.ts'
import { suiteCase } from '../../../fixtures/suite_case.ts'

const suite: Suite = {
  format: 'evals.json',
  path: '/evals.json',
  skill_name: 's',
  warnings: [],
  cases: [
    suiteCase({ eval_id: 1, eval_name: 'march total' }),
    suiteCase({ eval_id: 2, eval_name: 'april/total', eval_key: 'apr-1' }),
    suiteCase({ eval_id: 12, eval_name: '1', eval_key: '2' }),
    suiteCase({ eval_id: 3, eval_name: 'export [json]' }),
  ],
}
const chosen = (...wanted: string[]) => selectCases(suite, wanted).cases.map((one) => one.eval_id)

describe('picks', () => {
  test.each<[string[], number[]]>([
    [[], [1, 2, 12, 3]],
    [['1'], [1]],
    [['2'], [2]],
    [['apr-1'], [2]],
    [['march total'], [1]],
    [['export [json]'], [3]],
    [['*total'], [1, 2]],
    [['1*'], [1, 12]],
    [['apr-?'], [2]],
    [['{march,export}*'], [1, 3]],
    [
      ['3', '1', '3'],
      [1, 3],
    ],
    [['*'], [1, 2, 12, 3]],
  ])('%j', (wanted, ids) => expect(chosen(...wanted)).toEqual(ids))
})

describe('refuses', () => {
  test.each<[string, string]>([
    ['march totl', 'did you mean "march total"?'],
    ['apr', 'expected one of 1 (march total), 2 (april/total), 12 (1), 3 (export [json])'],
    ['5', 'the cases are 1, 2, 12, 3'],
    ['exprot', 'did you mean "export [json]"?'],
    ['zzzzzzzz', 'expected one of 1 (march total), 2 (april/total), 12 (1), 3 (export [json])'],
    ['zzzz*', 'expected one of 1 (march total)'],
    ['', 'expected one of 1 (march total)'],
  ])('%j', (wanted, fix) => {
    const attempt = () => chosen('1', wanted)
    expect(attempt).toThrow(UserError)
    expect(attempt).toThrow(`--case "${wanted}": no such case`)
    expect(attempt).toThrow(expect.objectContaining({ fix: expect.stringContaining(fix) }))
  })
})
