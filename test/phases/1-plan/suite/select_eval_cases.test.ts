/** Which cases of several suites eval takes: each wish narrows what the others leave, and a wish that means nothing is refused. */
import { expect, test } from 'vitest'
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
