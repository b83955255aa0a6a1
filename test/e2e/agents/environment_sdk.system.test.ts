/** Hooks that a suite puts around the agent, on an SDK engine: they are honoured, and their scripts out of the agent's reach. */
import { expect, test } from 'vitest'
import { probeSandbox } from '../../../src/base/sandbox/choose.ts'
import { needs } from '../../require.ts'
import { benchedGuarded, hooks } from './environment.ts'

const scenario = `
rules:
  - name: works
    when: { turn: 1 }
    tool_calls:
      - { name: Bash, input: { command: "rm -rf notes" } }
      - { name: Bash, input: { command: "echo kept > kept.txt" } }
  - { name: goes on, when: { last: "STOP-CANARY" }, text: "Goodbye." }
  - { name: ends, text: "Done." }
`

const benched = (environment: object, { told = scenario, flags = [] as string[] } = {}) =>
  benchedGuarded({ engine: 'anthropic:practice-1', environment, scenario: told, flags }, ({ url }) => ({
    ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice-key' },
  }))

test('hooks are honoured in both arms, and agent_blocked is decided', async () => {
  const { end, read } = await benched({ files: ['evals/guard'], hooks })
  expect(end, end.stderr).toMatchObject({ code: 0 })
  for (const arm of ['with_skill', 'without_skill']) {
    const [verdict] = JSON.parse(read(arm, 'grading.json')).expectations
    expect(verdict).toMatchObject({ passed: true, decided_by: 'check:agent_blocked' })
    const record = JSON.parse(read(arm, 'run.json'))
    expect(record).toMatchObject({ final_response: 'Goodbye.', permission_denials: ['Bash'] })
    expect(read(arm, 'outputs/kept.txt')).toBe('kept\n')
  }
})

const works = (await probeSandbox(process.env.PATH ?? '')).ok
needs(
  'a sandbox',
  works,
  'apt-get install bubblewrap',
)('the script of a hook', () => {
  const find = `f=$(grep -o '/[^"]*guard.mjs' .claude/settings.json | head -1)`
  const told = `
rules:
  - name: empties
    when: { turn: 1 }
    tool_calls: [{ name: Bash, input: { command: ${JSON.stringify(`${find}; chmod u+w $f; echo > $f; wc -c $f`)} } }]
  - { name: deletes, when: { turn: 2 }, tool_calls: [{ name: Bash, input: { command: rm -rf notes } }] }
  - { name: ends, text: Done. }
`
  test.each([
    ['required', true],
    ['off', false],
  ])("is out of the agent's reach with --sandbox %s: %s", async (sandbox, isBlocked) => {
    const own = { files: ['evals/guard'], hooks: { PreToolUse: hooks.PreToolUse } }
    const { end, read } = await benched(own, { told, flags: ['--sandbox', sandbox] })
    const [verdict] = JSON.parse(read('with_skill', 'grading.json')).expectations
    expect(verdict.passed, end.stderr + read('with_skill', 'transcript.md')).toBe(isBlocked)
  })
})
