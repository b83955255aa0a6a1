/** Vally's graders about how the agent worked. */
import { expect, test } from 'vitest'
import { stringify } from 'yaml'
import { loadSuite } from '../../../../src/phases/1-plan/suite/load_suite.ts'
import { folderOf, skillText } from '../folder.ts'

async function read(...graders: object[]) {
  const suite = { stimuli: [{ name: 'one', prompt: 'p', graders }] }
  const { cases, warnings } = await loadSuite(folderOf({ 'SKILL.md': skillText, 'evals/eval.yaml': stringify(suite) }))
  return { ...cases[0], said: JSON.stringify(warnings) }
}

test('calls that patterns describe are decided by a judge, required and disallowed ones', async () => {
  const shell = { name: '^bash$', command: 'git (push|reset)' }
  const { expectations, cannot_run } = await read(
    { type: 'tool-calls', weight: 2, config: { required: [shell] } },
    { type: 'tool-calls', config: { disallowed: [shell] } },
  )
  const call = 'its name matches /^bash$/ and its command matches /git (push|reset)/'
  expect(expectations).toEqual([
    { text: `The agent called a tool where ${call}`, weight: 2 },
    { text: `The agent called no tool where ${call}` },
  ])
  expect(cannot_run).toBeNull()
})

test('the count of calls is a check, whether the skill was used an indicator', async () => {
  const { checks, expectations, said } = await read(
    { type: 'tool-call-count', turn: 0, config: { max: 30 } },
    { type: 'skill-invocation', config: { required: ['sums'], disallowed: ['other'] } },
  )
  expect(checks).toEqual([{ type: 'skill_read' }, { type: 'tool_calls_at_most', value: 30 }])
  expect(expectations).toEqual([{ text: 'The agent did not use the skill other', indicator: true }])
  expect(said).toContain('it is about the whole run')
})

test.each([[{ name: 3 }], [{}], [4]])('a call %j is of no known form and keeps the case from running', async (call) => {
  const { cannot_run } = await read({ type: 'tool-calls', config: { required: [call] } })
  expect(cannot_run).toContain('neither the name of a tool nor an object of patterns')
})
