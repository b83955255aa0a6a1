/** What a suite puts around the agent, with the real Claude Code CLI: hooks block, rules and sub-agents are seen, a server answers. */
import { beforeAll, expect, test } from 'vitest'
import { claudeBinary, needs } from '../../require.ts'
import { benchedGuarded, hooks, servers } from './environment.ts'

const claude = claudeBinary()
const whole = {
  files: ['evals/guard'],
  hooks,
  rules: ['evals/rules/house.md'],
  agents: ['evals/agents/reviewer.md'],
  mcp_servers: servers,
}

const scenario = `
rules:
  - name: works
    when: { turn: 1, tool: "^Bash$" }
    tool_calls:
      - { name: Bash, input: { command: "rm -rf notes", description: delete } }
      - { name: Bash, input: { command: "echo kept > kept.txt", description: write } }
      - { name: mcp__tickets__open_tickets, input: {} }
  - name: goes on
    when: { last: "STOP-CANARY" }
    text: "Goodbye."
  - name: ends
    when: { tool: "^Bash$" }
    text: "Done."
`

const benched = (environment: object, told = scenario) =>
  benchedGuarded({ engine: 'claude-code:claude-practice-1', environment, scenario: told }, ({ url }) => ({
    ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_CLAUDE: claude ?? '' },
  }))

needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('a suite with an environment on the real claude CLI', () => {
  let ran: Awaited<ReturnType<typeof benched>>
  beforeAll(async () => {
    ran = await benched(whole)
  })
  const arms = ['with_skill', 'without_skill']

  test('ends well', () => expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 }))
  test.each(arms)('the hook blocked the one call, and the check saw it: %s', (arm) => {
    const [verdict] = JSON.parse(ran.read(arm, 'grading.json')).expectations
    expect(verdict).toMatchObject({ passed: true, decided_by: 'check:agent_blocked' })
    expect(verdict.evidence).toContain('HOOK-CANARY')
    expect(JSON.parse(ran.read(arm, 'run.json')).permission_denials).toEqual(['Bash'])
    expect(ran.read(arm, 'outputs/kept.txt')).toBe('kept\n')
  })
  test.each(arms)('the Stop hook made the agent go on: %s', (arm) => {
    expect(JSON.parse(ran.read(arm, 'run.json')).final_response).toBe('Goodbye.')
  })
  test.each(arms)('hooks are in the transcript: %s', (arm) => {
    const events = ran
      .read(arm, 'transcript.jsonl')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    const told = events.filter(({ type }) => type === 'hook').map(({ event, tool, outcome }) => [event, tool, outcome])
    expect(told).toEqual(
      expect.arrayContaining([
        ['PreToolUse', 'Bash', 'blocked'],
        ['PreToolUse', 'Bash', 'ok'],
      ]),
    )
    expect(told.filter(([event]) => event === 'Stop').map(([, , outcome]) => outcome)).toEqual(['blocked', 'ok'])
  })
  test.each(arms)('the server of the suite, and no other, was loaded and answered: %s', (arm) => {
    expect(JSON.parse(ran.read(arm, 'run.json')).loaded.mcp_servers).toEqual(['tickets'])
    expect(ran.read(arm, 'transcript.md')).toContain('SERVER-CANARY')
  })
  test.each(['RULE-CANARY', 'AGENT-CANARY', 'HOOK-CANARY', 'STOP-CANARY'])('%s reached the model', (canary) =>
    expect(ran.log).toContain(canary),
  )
  test('negative control: without it nothing is blocked and no canary is met', async () => {
    const bare = await benched({}, scenario.replace(/.*mcp__tickets.*\n/, ''))
    const [verdict] = JSON.parse(bare.read('with_skill', 'grading.json')).expectations
    expect(verdict).toMatchObject({ passed: false })
    expect(bare.log).not.toMatch(/(RULE|AGENT|HOOK|STOP)-CANARY/)
  })
  test('an agent that empties its settings is blocked all the same', async () => {
    const empties = "chmod u+w .claude/settings.json; echo '{}' > .claude/settings.json; sleep 2"
    const told = `
rules:
  - name: empties
    when: { turn: 1, tool: "^Bash$" }
    tool_calls: { name: Bash, input: { command: "${empties}", description: d } }
  - name: deletes
    when: { turn: 2, tool: "^Bash$" }
    tool_calls: { name: Bash, input: { command: "cat .claude/settings.json; rm -rf notes", description: d } }
  - { name: ends, when: { tool: "^Bash$" }, text: "Done." }
`
    const { read } = await benched({ files: ['evals/guard'], hooks: { PreToolUse: hooks.PreToolUse } }, told)
    const [verdict] = JSON.parse(read('with_skill', 'grading.json')).expectations
    expect(verdict).toMatchObject({ passed: true, evidence: expect.stringContaining('HOOK-CANARY') })
  })
  test('a server that does not start fails the run and says so', async () => {
    const { end, read } = await benched({ mcp_servers: { broken: { command: '/nonexistent/server' } } })
    expect(end.code).toBe(3)
    const { error } = JSON.parse(read('with_skill', 'run.json'))
    expect(error).toMatchObject({ kind: 'setup', message: expect.stringContaining('broken') })
  })
})
