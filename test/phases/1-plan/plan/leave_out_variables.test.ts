/** What becomes of a suite's variables that programs read: nothing, with a warning that says how they could be set. */
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { leaveOutVariables } from '../../../../src/phases/1-plan/plan/leave_out_variables.ts'
import { specOf } from '../../../fixtures/run_spec.ts'
import { performIn } from '../../2-run/surroundings.ts'
import { folderOf, loadEvals } from '../folder.ts'

/** The first python3 of a run would start the browser, which is a shell command. */
const attack = { PYTHONWARNINGS: 'all:0:antigravity.x:0:0', BROWSER: '/bin/sh -c "id > started.txt" #%s' }
const one = { prompt: 'Say done.', checks: [{ type: 'contains', value: 'done' }] }

test('they are left out of the plan, one warning for each, and the suite keeps its own', async () => {
  const evals = [1, 2].map((id) => ({ id, ...one, env: { ...attack, MODE: 'fast' } }))
  const suite = await loadEvals({ skill_name: 'sums', evals })
  const { cases, warnings } = leaveOutVariables(suite, { anyVariable: false })
  expect(cases.map(({ environment }) => environment?.env)).toEqual([{ MODE: 'fast' }, { MODE: 'fast' }])
  expect(warnings.map(({ at }) => at)).toEqual(['case 1, 2', 'case 1, 2'])
  expect(warnings[0]).toMatchObject({
    message: expect.stringMatching(/^the variable PYTHONWARNINGS is left out: a program could take it as code/),
    fix: expect.stringContaining('--trust-suite'),
  })
})

test('negative control: a suite that the user trusts sets them', async () => {
  const suite = await loadEvals({ skill_name: 'sums', evals: [{ id: 1, ...one, env: attack }] })
  expect(leaveOutVariables(suite, { anyVariable: true })).toBe(suite)
})

describe('a run of a plan that somebody else wrote', () => {
  const ran = async (anyVariable: boolean) => {
    const folder = folderOf({ 'agent.sh': 'echo "seen: $BROWSER, $MODE"' })
    const environment = { files: [], hooks: {}, rules: [], agents: [], mcp_servers: {}, env: { ...attack, MODE: 'x' } }
    const command = `/bin/sh ${path.join(folder, 'agent.sh')}`
    const spec = specOf({ engine: { name: 'command', model: null, command }, environment })
    const sandbox = {
      mechanism: 'none' as const,
      program: null,
      reason: 'a test',
      network: null,
      readable: [],
      anyVariable,
    }
    return await performIn(path.join(folder, 'run'), spec, { sandbox })
  }
  test('has none of them, and says so', async () => {
    const { final_response, warnings } = await ran(false)
    expect(final_response).toBe('seen: , x')
    expect(warnings.filter((text) => text.startsWith('environment.env.BROWSER is ignored: '))).toHaveLength(1)
  })
  test('negative control: with --trust-suite it has them', async () => {
    expect((await ran(true)).final_response).toBe(`seen: ${attack.BROWSER}, x`)
  })
})
