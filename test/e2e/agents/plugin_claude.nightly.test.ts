/** A whole plugin with the real Claude Code CLI: its parts are in the configuration that has it, and in no other. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { benchmarkIndex } from '../../../schemas/benchmark_index.ts'
import { claudeBinary, needs } from '../../require.ts'
import { benchOn, makePlugin } from './plugin.ts'

const claude = claudeBinary()
const scenario = `
rules:
  - name: works
    when: { turn: 1, tool: "^Bash$" }
    tool_calls: { name: Bash, input: { command: "rm -rf notes", description: delete } }
  - name: uses the plugin
    when: { turn: 2, tool: "^Bash$", result: "HOOK-CANARY" }
    tool_calls:
      - { name: Skill, input: { skill: alpha } }
      - { name: mcp__tickets__open_tickets, input: {} }
  - { name: ends, when: { tool: "^Bash$" }, text: "Done." }
`
const env = ({ url }: { url: string }) => {
  return { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_CLAUDE: claude ?? '' }
}
const engine = ['--engine', 'claude-code:claude-practice-1']
const whole = ['whole-plugin', 'whole_plugin'] as const
const others = [
  ['skill-alone', 'with_skill'],
  ['skill-alone', 'without_skill'],
  ['whole-plugin', 'without_skill'],
  ['whole-plugin-and-skill-alone', 'skill_alone'],
] as const

needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('a plugin on the real claude CLI', () => {
  let ran: Awaited<ReturnType<typeof benchOn>>
  beforeAll(async () => {
    ran = await benchOn([makePlugin(), ...engine], scenario, env)
  })
  const record = (variant: string, arm: string) => JSON.parse(ran.read(variant, arm, 'run.json'))
  const firstRequests = () => ran.requests.filter(({ rule }) => rule === 'works')

  test('ends well, with three comparisons', () => {
    expect(ran.end, ran.end.stdout + ran.end.stderr).toMatchObject({ code: 0 })
    const index = benchmarkIndex.parse(JSON.parse(readFileSync(path.join(ran.workspace, 'index.json'), 'utf8')))
    expect(index.rows.map(({ cell, delta }) => [cell, delta]).sort()).toEqual([
      ['skill alone against none', 0],
      ['whole plugin against none', 1],
      ['whole plugin against skill alone', 1],
    ])
  })
  test('three configurations are three agent runs, not six; two of them know of no part of the plugin', () => {
    expect(firstRequests()).toHaveLength(3)
    const plain = firstRequests().filter((one) => !/(AGENT|COMMAND|BETA)-CANARY/.test(JSON.stringify(one)))
    expect(plain).toHaveLength(2)
  })
  test('the hook fires where the plugin is, with its place', () => {
    const text = ran.read(...whole, 'transcript.jsonl')
    expect(text).toMatch(/HOOK-CANARY not allowed, root=\/[^"\\]*plug/)
  })
  test('its server answers, its other skill is there, and SKILL.md names the place of the copy', () => {
    expect(record(...whole).loaded.mcp_servers).toEqual(['tickets'])
    expect(record(...whole).loaded.skills).toEqual(expect.arrayContaining(['alpha', 'beta']))
    expect(ran.read(...whole, 'transcript.jsonl')).toContain('SERVER-CANARY')
    expect(record(...whole).skills_read).toEqual([{ name: 'alpha', step: 2 }])
    const [own] = firstRequests().filter(({ messages }) => JSON.stringify(messages).includes('BETA-CANARY'))
    expect(JSON.stringify(own)).toContain('AGENT-CANARY')
    expect(JSON.stringify(own)).toContain('COMMAND-CANARY')
    const asked = ran.requests.filter(({ messages }) => JSON.stringify(messages).includes('BETA-CANARY')).at(-1)
    expect(JSON.stringify(asked)).toMatch(/Tidy with \/[^"]*\/plug\/server/)
  })
  test.each(others)('negative control: %s, %s has none of it', (variant, arm) => {
    const { loaded, status } = record(variant, arm)
    expect(status).toBe('completed')
    expect(loaded.mcp_servers).toEqual([])
    expect(loaded.skills).not.toContain('beta')
    expect(ran.read(variant, arm, 'transcript.jsonl')).not.toMatch(/HOOK-CANARY|SERVER-CANARY/)
  })
})
