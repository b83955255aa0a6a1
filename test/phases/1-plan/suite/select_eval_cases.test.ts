/** Which cases of one suite, and of several in eval, are taken: each wish narrows what the others leave; one that means nothing is refused. */
import { describe, expect, test } from 'vitest'
import type { Suite } from '../../../../schemas/suite.ts'
import { UserError } from '../../../../src/base/errors/error.ts'
import { selectCases } from '../../../../src/phases/1-plan/suite/select_cases.ts'
import { type EvalSelection, selectEvals } from '../../../../src/phases/1-plan/suite/select_eval_cases.ts'
import { suiteCase } from '../../../fixtures/suite_case.ts'
import { userError } from '../folder.ts'

const one = (eval_id: number, eval_key: string, target: string, category?: string) =>
  suiteCase({ eval_id, eval_key, eval_name: eval_key, target, ...(category !== undefined && { category }) })
const suiteOf = (path: string, cases: ReturnType<typeof one>[]) => ({
  suite: { format: 'golden', path, skill_name: 's', cases, warnings: [] },
})
const all = [
  suiteOf('/a', [one(1, '001_rent', 'agent:ledger', 'happy'), one(2, '001_rent_late', 'agent:ledger', 'edge')]),
  suiteOf('/b', [one(1, 'sums', 'skill:sums'), one(2, 'guard', 'hook:pre-tool-use', 'edge')]),
]
const none: EvalSelection = { cases: [], target: null, category: null, test: null }
const chosen = (wish: Partial<EvalSelection>) =>
  selectEvals(all, { ...none, ...wish }).map(
    ({ suite }) => `${suite.path}: ${suite.cases.map((each) => each.eval_key).join(' ')}`,
  )

test.each<[Partial<EvalSelection>, string[]]>([
  [{}, ['/a: 001_rent 001_rent_late', '/b: sums guard']],
  [{ category: 'edge' }, ['/a: 001_rent_late', '/b: guard']],
  [{ target: 'agent:ledger' }, ['/a: 001_rent 001_rent_late']],
  [{ target: 'skill:' }, ['/b: sums']],
  [{ target: 'hook:pre-tool-use', category: 'edge' }, ['/b: guard']],
  [{ test: '001_rent' }, ['/a: 001_rent']],
  [{ test: 'late' }, ['/a: 001_rent_late']],
  [{ test: '001' }, ['/a: 001_rent 001_rent_late']],
  [{ test: 'u' }, ['/b: sums guard']],
  [{ test: 'r' }, ['/a: 001_rent 001_rent_late', '/b: guard']],
  [{ cases: ['sums', '001_rent'] }, ['/a: 001_rent', '/b: sums']],
  [{ cases: ['001*'], category: 'happy' }, ['/a: 001_rent']],
])('%j', (wish, wanted) => expect(chosen(wish)).toEqual(wanted))
test.each<[Partial<EvalSelection>, string]>([
  [{ test: 'heat' }, '--test "heat": no such test'],
  [{ category: 'egde' }, '--category "egde": no such case'],
  [{ target: 'sums' }, 'expected skill:, hook: or agent:'],
  [{ target: 'skill:sumz' }, '--target "skill:sumz": no such case'],
  [{ target: 'skill:sums', category: 'edge' }, '--category "edge": no such case'],
  [{ cases: ['nothing'] }, 'nothing'],
])('%j is refused', (wish, message) => expect(() => chosen(wish)).toThrow(message))

test.each<[string, number, RegExp]>([
  ['zzz', 8, /^expected one of t0, t1, t2, t3, t4, t5, t6, t7$/],
  ['zzz', 13, /^expected one of t0, .*, t7 and 5 more$/],
  ['renr', 0, /^did you mean "rent"\?$/],
])('--test %s of %i tests more: the hint names ids, and how many it leaves out', async (text, count, hint) => {
  const tests = Array.from({ length: count }, (_, at) => one(at + 1, `t${at}`, 'agent:a'))
  const suites = [suiteOf('/a', count === 0 ? [one(1, 'rent', 'agent:a')] : tests)]
  const wish = { ...none, test: text }
  const refused = userError(Promise.resolve().then(() => selectEvals(suites, wish)))
  expect((await refused).fix).toMatch(hint)
})

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
const chosenOf = (...wanted: string[]) => selectCases(suite, wanted).cases.map((one) => one.eval_id)

describe('--case picks by id, key, name or glob', () => {
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
  ])('%j', (wanted, ids) => expect(chosenOf(...wanted)).toEqual(ids))
})

describe('--case refuses what is no case, with the nearest', () => {
  test.each<[string, string]>([
    ['march totl', 'did you mean "march total"?'],
    ['apr', 'expected one of 1 (march total), 2 (april/total), 12 (1), 3 (export [json])'],
    ['5', 'the cases are 1, 2, 12, 3'],
    ['zzzz*', 'expected one of 1 (march total)'],
    ['', 'expected one of 1 (march total)'],
  ])('%j', (wanted, fix) => {
    const attempt = () => chosenOf('1', wanted)
    expect(attempt).toThrow(UserError)
    expect(attempt).toThrow(`--case "${wanted}": no such case`)
    expect(attempt).toThrow(expect.objectContaining({ fix: expect.stringContaining(fix) }))
  })
})
