/** What a suite puts around the agent, with the real Codex CLI: its hooks keep the same contract; what it can't do keeps a case from running. */
import { beforeAll, expect, test } from 'vitest'
import { cliBinary, needs } from '../../require.ts'
import { benchedGuarded, hooks, servers } from './environment.ts'

const codex = cliBinary('codex')
const scenario = `
rules:
  - name: works
    when: { turn: 1, tool: "^exec_command$" }
    tool_calls:
      - { name: exec_command, input: { cmd: "rm -rf notes" } }
  - name: writes
    when: { turn: 2, tool: "^exec_command$" }
    tool_calls:
      - { name: exec_command, input: { cmd: "echo kept > kept.txt" } }
  - { name: goes on, when: { last: "STOP-CANARY" }, text: "Goodbye." }
  - { name: ends, text: "Done." }
`
const feedback = {
  PostToolUse: [
    {
      matcher: 'Bash',
      hooks: [{ type: 'command', command: 'echo POST-CANARY $CLAUDE_PROJECT_DIR key:$CODEX_API_KEY: >&2; exit 2' }],
    },
  ],
}
const whole = { files: ['evals/guard'], hooks: { ...hooks, ...feedback }, rules: ['evals/rules/house.md'] }

const benched = (environment: object) =>
  benchedGuarded({ engine: 'codex:gpt-5.5', environment, scenario }, ({ url }) => ({
    ...{ OPENAI_BASE_URL: `${url}/v1`, CODEX_API_KEY: 'practice-key', WHETSTONE_CODEX: codex ?? '' },
  }))

needs(
  'the codex CLI',
  codex !== null,
  'npm run agents',
)('a suite with an environment on the real codex CLI', () => {
  let ran: Awaited<ReturnType<typeof benched>>
  beforeAll(async () => {
    ran = await benched(whole)
  })
  const arms = ['with_skill', 'without_skill']

  test('ends well', () => expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 }))
  test.each(arms)('the hook blocked the one call, and the check saw it: %s', (arm) => {
    const [verdict] = JSON.parse(ran.read(arm, 'grading.json')).expectations
    expect(verdict).toMatchObject({ passed: true, decided_by: 'check:agent_blocked' })
    expect(verdict.evidence).toContain('Bash was blocked: HOOK-CANARY deleting is not allowed here')
    expect(JSON.parse(ran.read(arm, 'run.json'))).toMatchObject({
      permission_denials: ['exec_command'],
      final_response: 'Goodbye.',
    })
    expect(ran.read(arm, 'outputs/kept.txt')).toBe('kept\n')
  })
  test.each(arms)('what was blocked is in the transcript: %s', (arm) => {
    const events = ran
      .read(arm, 'transcript.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const told = events.filter(({ type }) => type === 'hook').map(({ event, tool, outcome }) => [event, tool, outcome])
    expect(told).toEqual([
      ['PreToolUse', 'Bash', 'blocked'],
      ['Stop', undefined, 'blocked'],
    ])
    const blocked = events.find(({ type, is_error }) => type === 'tool_result' && is_error)
    expect(blocked).toMatchObject({ name: 'exec_command', output: expect.stringContaining('HOOK-CANARY') })
    const call = events.find(({ type, id }) => type === 'tool_call' && id === blocked.id)
    expect(call).toMatchObject({ input: { cmd: 'rm -rf notes' } })
  })
  test.each(['RULE-CANARY', 'HOOK-CANARY', 'POST-CANARY', 'STOP-CANARY'])('%s reached the model', (canary) =>
    expect(ran.log).toContain(canary),
  )
  test('hooks know the project folder and have no key', () => {
    expect(ran.log).toMatch(/POST-CANARY \/[^ ]*\/work key::/)
  })
  test('negative control: without it nothing is blocked and no canary is met', async () => {
    const bare = await benched({})
    const [verdict] = JSON.parse(bare.read('with_skill', 'grading.json')).expectations
    expect(verdict).toMatchObject({ passed: false })
    expect(bare.log).not.toMatch(/(RULE|HOOK|POST|STOP)-CANARY/)
  })
  test('an event that Codex has no hooks for keeps the case from running', async () => {
    const { end } = await benched({ mcp_servers: servers, hooks: { SessionEnd: hooks.Stop } })
    expect(end).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('codex does not support hooks of SessionEnd'),
    })
  })
})
