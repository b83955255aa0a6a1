/** What a suite puts around the agent, with the real Claude Code and Codex CLIs: hooks block and give feedback, rules and sub-agents are seen, a server answers. */
import { beforeAll, expect, test } from 'vitest'
import { cliBinary, needs } from '../../require.ts'
import { jsonLines, keysOf } from '../bench/benched.ts'
import { benchedGuarded, hooks, servers } from './environment.ts'

/** On turn 1 it deletes, which is blocked, then it writes; told to go on, it says goodbye. */
const scenarioOf = (tool: string, calls: readonly (readonly string[])[]) => `
rules:
${calls.map((some, at) => `  - { name: works ${at}, when: { turn: ${at + 1}, tool: "^${tool}$" }, tool_calls: [${some.join(', ')}] }`).join('\n')}
  - { name: goes on, when: { last: "STOP-CANARY" }, text: "Goodbye." }
  - { name: ends, when: { tool: "^${tool}$" }, text: "Done." }
`
const files = ['evals/guard']
const rules = ['evals/rules/house.md']
const command = 'echo POST-CANARY $CLAUDE_PROJECT_DIR key:$CODEX_API_KEY: >&2; exit 2'
const bash = (line: string) => `{ name: Bash, input: { command: ${JSON.stringify(line)}, description: d } }`
const exec = (line: string) => `{ name: exec_command, input: { cmd: ${JSON.stringify(line)} } }`

const clis = [
  {
    name: 'claude',
    engine: 'claude-code:claude-practice-1',
    tool: 'Bash',
    environment: { files, hooks, rules, agents: ['evals/agents/reviewer.md'], mcp_servers: servers },
    calls: [[bash('rm -rf notes'), bash('echo kept > kept.txt'), '{ name: mcp__tickets__open_tickets, input: {} }']],
    canaries: ['RULE', 'AGENT', 'HOOK', 'STOP', 'SERVER'],
    ends: [
      ['PreToolUse', 0],
      ['Stop', 0],
    ],
  },
  {
    name: 'codex',
    engine: 'codex:gpt-5.5',
    tool: 'exec_command',
    environment: {
      ...{ files, rules },
      hooks: { ...hooks, PostToolUse: [{ matcher: 'Bash', hooks: [{ type: 'command', command }] }] },
    },
    calls: [[exec('rm -rf notes')], [exec('echo kept > kept.txt')]],
    canaries: ['RULE', 'HOOK', 'POST', 'STOP'],
    ends: [
      ['PreToolUse', 0],
      ['PostToolUse', 2],
      ['Stop', 0],
    ],
  },
]

for (const { name, engine, tool, environment, calls, canaries, ends } of clis) {
  const binary = cliBinary(name)
  const benched = (around: object, scenario: string) =>
    benchedGuarded({ engine, environment: around, scenario }, ({ url }) => ({
      ...keysOf(url),
      CODEX_API_KEY: 'practice-key',
      [`WHETSTONE_${name.toUpperCase()}`]: binary ?? '',
    }))

  needs(
    `the ${name} CLI`,
    binary !== null,
    'npm run agents',
  )(`a suite with an environment on the real ${name} CLI`, () => {
    let ran: Awaited<ReturnType<typeof benched>>
    beforeAll(async () => {
      ran = await benched(environment, scenarioOf(tool, calls))
    })

    test.each(['with_skill', 'without_skill'])(
      'the hooks blocked one call and the end, and the check saw it: %s',
      (arm) => {
        expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 })
        const [verdict] = JSON.parse(ran.read(arm, 'grading.json')).expectations
        expect(verdict).toMatchObject({ passed: true, decided_by: 'check:agent_blocked' })
        expect(verdict.evidence).toContain('HOOK-CANARY')
        const record = JSON.parse(ran.read(arm, 'run.json'))
        expect(record).toMatchObject({ permission_denials: [tool], final_response: 'Goodbye.' })
        expect(ran.read(arm, 'outputs/kept.txt')).toBe('kept\n')
        const told = jsonLines(ran.read(arm, 'transcript.jsonl')).filter(({ type }) => type === 'hook')
        const blocked = told.filter(({ outcome }) => outcome === 'blocked')
        expect(blocked.map((one) => [one.event, one.tool])).toEqual([
          ['PreToolUse', 'Bash'],
          ['Stop', undefined],
        ])
        const others = told.filter(({ outcome }) => outcome !== 'blocked')
        expect(others.map((one) => [one.event, one.exit_code])).toEqual(ends)
        if (name === 'claude') expect(record.loaded.mcp_servers).toEqual(['tickets'])
      },
    )
    test.each(canaries)('%s-CANARY reached the model', (canary) => expect(ran.log).toContain(`${canary}-CANARY`))
    test('negative control: without it nothing is blocked and no canary is met', async () => {
      const bare = await benched(
        {},
        scenarioOf(
          tool,
          calls.map((some) => some.filter((one) => !one.includes('mcp__'))),
        ),
      )
      const [verdict] = JSON.parse(bare.read('with_skill', 'grading.json')).expectations
      expect(verdict).toMatchObject({ passed: false })
      expect(bare.log).not.toMatch(/(RULE|AGENT|HOOK|POST|STOP)-CANARY/)
    })
    if (name === 'codex') {
      test('a hook that blocks nothing is in the evidence with its exit code', async () => {
        const { read } = await benched(environment, scenarioOf(tool, [[exec('echo kept > kept.txt')]]))
        const [verdict] = JSON.parse(read('with_skill', 'grading.json')).expectations
        expect(verdict).toMatchObject({
          passed: false,
          evidence: expect.stringContaining('PreToolUse exited 0, not 2'),
        })
      })
      test('hooks know the project folder and have no key', () => {
        expect(ran.log).toMatch(/POST-CANARY \/[^ ]*\/work key::/)
      })
      return
    }
    test('an agent that empties its settings is blocked all the same', async () => {
      const empties = "chmod u+w .claude/settings.json; echo '{}' > .claude/settings.json; sleep 2"
      const told = scenarioOf(tool, [[bash(empties)], [bash('cat .claude/settings.json; rm -rf notes')]])
      const { read } = await benched({ files, hooks: { PreToolUse: hooks.PreToolUse } }, told)
      const [verdict] = JSON.parse(read('with_skill', 'grading.json')).expectations
      expect(verdict).toMatchObject({ passed: true, evidence: expect.stringContaining('HOOK-CANARY') })
    })
  })
}
