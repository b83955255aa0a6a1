/** A whole benchmark under a judge that is always malformed, on the practice server. */
import { expect, test } from 'vitest'
import { bench, newestIn, withModel } from '../bench/benched.ts'
import { makeSkill } from '../program.ts'

const scenario = `
rules:
  - { name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: { verdict: fine } }] }
  - { name: agent, text: TIDY }
`

test('malformed always: a judge error, in no rate, exit 3', async () => {
  const skill = makeSkill([{ id: 1, prompt: 'say it', expectations: ['It is tidy.'] }])
  const end = await withModel(scenario, (env) => bench({ skill, env }, '--runs', '1', '--sandbox', 'off'))
  expect(end.code).toBe(3)
  const { gradings, result } = newestIn(end.workspace)
  const error = { text: 'It is tidy.', reason: expect.stringContaining('no usable answer in two rounds') }
  expect(gradings).toMatchObject([1, 2].map(() => ({ summary: { total: 0 }, judge_errors: [error] })))
  expect(result.counts).toMatchObject({ used: 0, excluded: { judge_error: 2 } })
})
