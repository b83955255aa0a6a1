/** What a suite puts around the agent, on an SDK engine: hooks and rules are honoured, and what is not keeps the case from running. */
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

test('hooks and rules are honoured in both arms, and agent_blocked is decided', async () => {
  const { end, read, log } = await benched({ files: ['evals/guard'], hooks, rules: ['evals/rules/house.md'] })
  expect(end, end.stderr).toMatchObject({ code: 0 })
  for (const arm of ['with_skill', 'without_skill']) {
    const [verdict] = JSON.parse(read(arm, 'grading.json')).expectations
    expect(verdict).toMatchObject({ passed: true, decided_by: 'check:agent_blocked' })
    const record = JSON.parse(read(arm, 'run.json'))
    expect(record).toMatchObject({ final_response: 'Goodbye.', permission_denials: ['Bash'] })
    expect(read(arm, 'outputs/kept.txt')).toBe('kept\n')
  }
  expect(log).toContain('RULE-CANARY')
})
test('negative control: without the hooks nothing is blocked', async () => {
  const { read } = await benched({})
  const [verdict] = JSON.parse(read('with_skill', 'grading.json')).expectations
  expect(verdict).toMatchObject({
    passed: false,
    evidence: 'no hook blocked a call of Bash with a reason that contains "not allowed"; hooks that ran: 0',
  })
  expect(JSON.parse(read('with_skill', 'run.json')).final_response).toBe('Done.')
})
test('what the engine does not support keeps the case from running, and is said', async () => {
  const { end } = await benched({ hooks: { SessionStart: hooks.PreToolUse } })
  expect(end.code).toBe(2)
  expect(end.stderr).toContain('the engine anthropic does not support hooks of SessionStart')
})
test('settings of a sub-agent that the engine does not follow are said before anything is paid for', async () => {
  const { end } = await benched({ agents: ['evals/agents/quick.md'] }, { flags: ['--dry-run'] })
  expect(end, end.stderr).toMatchObject({ code: 0 })
  expect(end.stdout).toContain('warning: the engine anthropic does not follow model of the sub-agent quick')
})

const works = (await probeSandbox(process.env.PATH ?? '')).ok
needs(
  'a sandbox',
  works,
  'apt-get install bubblewrap',
)('the script of a hook', () => {
  const find = `f=$(grep -o '/[^"]*guard.mjs' .claude/settings.json | head -1)`
  const told = JSON.stringify({
    rules: [
      {
        name: 'empties',
        when: { turn: 1 },
        answer: { tool_calls: [{ name: 'Bash', input: { command: `${find}; chmod u+w $f; echo > $f; wc -c $f` } }] },
      },
      {
        name: 'deletes',
        when: { turn: 2 },
        answer: { tool_calls: [{ name: 'Bash', input: { command: 'rm -rf notes' } }] },
      },
      { name: 'ends', answer: { text: 'Done.' } },
    ],
  })
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
