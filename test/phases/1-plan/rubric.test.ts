/** Rubrics in a suite: of a case, of the file; mistakes refused; lists of that name stay statements. */
import { describe, expect, test } from 'vitest'
import { loadCase, loadEvals, userError } from './folder.ts'

const rubric = {
  dimensions: [
    { name: 'accuracy', weight: 3, description: 'Right?', anchors: { '1': 'no', '5': 'yes' } },
    { name: 'style', weight: 1 },
  ],
  threshold: 3.5,
  hard_fails: ['It invents a number'],
}
const statement = { text: 'Rubric: accuracy 75 %, style 25 %', rubric }
const base = { id: 1, prompt: 'p' }

describe('is read', () => {
  test('of a case, as its last expectation', async () => {
    const { case: one, warnings } = await loadCase({ ...base, expectations: ['e'], rubric })
    expect(one.expectations).toEqual([{ text: 'e' }, statement])
    expect(warnings).toEqual([])
  })
  test('alone: nothing is derived from the expected output', async () => {
    const { case: one } = await loadCase({ ...base, expected_output: 'x', rubric })
    expect(one.expectations).toEqual([statement])
  })
  test('of the file, for every case without one of its own', async () => {
    const own = { dimensions: [{ name: 'depth', weight: 1 }] }
    const evals = [base, { ...base, id: 2, rubric: own }, { ...base, id: 3, rubric: false, expectations: ['e'] }]
    const { cases, warnings } = await loadEvals({ skill_name: 's', rubric, evals })
    expect(cases.map(({ expectations }) => expectations.map(({ text }) => text))).toEqual([
      [statement.text],
      ['Rubric: depth 100 %'],
      ['e'],
    ])
    expect(warnings).toEqual([])
  })
  test('of the file where the case has null, which is the same as absent', async () => {
    const { cases } = await loadEvals({ skill_name: 's', rubric, evals: [{ ...base, rubric: null }] })
    expect(cases[0]?.expectations).toEqual([statement])
  })
  test.each([[['a', 'b']], ['a'], [{ text: 'a' }]])(
    'what another tool calls a rubric is a statement: %j',
    async (given) => {
      const { case: one, warnings } = await loadCase({ ...base, rubric: given })
      expect(one.expectations[0]).toEqual({ text: 'a' })
      expect(warnings[0]).toContain('"rubric" is read as "expectations"')
    },
  )
})

describe('a mistake is refused with file, case, field and fix', () => {
  const [first, second] = rubric.dimensions
  test.each<[object, RegExp]>([
    [{ ...rubric, dimensions: [] }, /rubric\.dimensions: /],
    [
      { ...rubric, dimensions: [first, { ...second, name: 'Accuracy' }] },
      /rubric\.dimensions: two dimensions have the same name/,
    ],
    [{ ...rubric, dimensions: [{ name: 'a' }] }, /rubric\.dimensions\[0\]\.weight: /],
    [{ ...rubric, dimensions: [{ name: 'a', weight: 0 }] }, /rubric\.dimensions\[0\]\.weight: /],
    [{ ...rubric, dimensions: [{ name: '', weight: 1 }] }, /rubric\.dimensions\[0\]\.name: /],
    [{ ...rubric, dimensions: [{ name: 'a`b', weight: 1 }] }, /rubric\.dimensions\[0\]\.name: must be letters, digits/],
    [
      { ...rubric, dimensions: [{ name: 'a', weight: 1, anchors: { '6': 'x' } }] },
      /rubric\.dimensions\[0\]\.anchors: /,
    ],
    [{ ...rubric, threshold: 80 }, /rubric\.threshold: /],
    [{ ...rubric, hard_fails: [{ id: 'HF1' }] }, /rubric\.hard_fails\[0\]: /],
    [{ ...rubric, treshold: 4 }, /rubric: .*treshold/],
  ])('%j', async (given, message) => {
    const error = await userError(loadEvals({ skill_name: 's', evals: [{ ...base, rubric: given }] }))
    expect(error.message).toMatch(message)
    expect(error.message).toContain('evals.json: $.evals[0].rubric')
    expect(error.fix).toContain('docs/reference/evals-json.md')
  })
})
