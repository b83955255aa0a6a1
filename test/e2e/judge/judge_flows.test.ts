/** Whole benchmarks under a judge that is always malformed, and one that contradicts a check, on the practice server. */
import path from 'node:path'
import { expect, test } from 'vitest'
import { runMain } from '../../cli/run_main.ts'
import { bench, newestIn, withModel } from '../bench/benched.ts'
import { fresh, makeSkill } from '../program.ts'

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

/** The judge's verdict on the sentence of a check that fails. */
const judging = (passed: boolean) => `
rules:
  - { name: judge, when: { tool: '^submit$' }, tool_calls: [{ name: submit, input: { verdicts: [{ n: 1, passed: ${passed}, evidence: 'seen' }] } }] }
  - { name: agent, text: TIDY }
`

test('a pass that a failed check contradicts: asked again by bench, grade and a repeated bench; the check decides, and a note counts it', async () => {
  const check = { type: 'regex', pattern: 'Ocean', text: 'The ocean is named' }
  const skill = makeSkill([{ id: 1, prompt: 'say it', expectations: ['The ocean is named.'], checks: [check] }])
  const workspace = path.join(fresh(), 'ws')
  const run = (env: Record<string, string>) => bench({ skill, workspace, env }, '--runs', '1', '--sandbox', 'off')
  const decided = () => newestIn(workspace).gradings.map(({ expectations: [first] }) => first)
  const grade = (env: Record<string, string>) =>
    runMain(['grade', newestIn(workspace).folder, '--sandbox', 'off'], { env })
  const overruled = { passed: false, decided_by: 'check:regex', overruled: true }

  await withModel(judging(true), async (env, server) => {
    const asked = async (work: typeof run | typeof grade) => {
      const before = server.requests.length
      const { code } = await work(env)
      const rules = server.requests.slice(before).map(({ rule }) => rule)
      return [code, rules.filter((rule) => rule === 'judge').length, rules.filter((rule) => rule === 'agent').length]
    }
    expect(await asked(run)).toEqual([0, 4, 2])
    expect(decided()).toMatchObject([overruled, overruled])
    const { result } = newestIn(workspace)
    expect(result).toMatchObject({ complete: true, counts: { used: 2 } })
    expect(result.notes).toContainEqual(expect.stringContaining('A failed check contradicts 2 passes of the judge'))
    expect(await asked(grade)).toEqual([0, 2, 0])
    expect(await asked(run)).toEqual([0, 2, 0])
    expect(newestIn(workspace).benchmarks).toBe(2)
    expect(decided()).toMatchObject([overruled, overruled])
  })
  // a judge that no longer contradicts the check decides, and is not asked after that
  await withModel(judging(false), async (env, server) => {
    for (const calls of [2, 2]) {
      expect((await grade(env)).code).toBe(0)
      expect(server.requests.filter(({ rule }) => rule === 'judge')).toHaveLength(calls)
      expect(decided()).toMatchObject([1, 2].map(() => ({ passed: false, decided_by: 'judge' })))
      expect(decided()[0].overruled).toBeUndefined()
    }
  })
})
