/** The real claude CLI works against the practice server, offline and with a dummy key. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runProcess } from '../../src/base/process/spawn.ts'
import { parseScenario } from '../../src/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../src/practice/server.ts'
import { claudeBinary, needs } from '../require.ts'

const scenario = `
rules:
  - name: reads the skill it is offered
    when: { turn: 1, tool: '^Skill$', system: '^- (?<name>shout): ' }
    tool_calls: { name: Skill, input: { skill: '{{name}}' } }
  - name: does what the skill says
    when: { result_of: Skill, result: 'Run: (?<command>.+)', not_called: '^Bash' }
    tool_calls: { name: Bash, input: { command: '{{command}}', description: shout } }
  - name: answers
    when: { called: '^Bash' }
    text: 'Said {{trim lastResult}}'
  - { name: no skill, text: no skill here }
`

const claude = claudeBinary()

/** One headless run in a folder of its own; gives its folder and its last line. */
async function runClaude(server: PracticeServer, files: Record<string, string>) {
  const root = await mkdtemp(path.join(tmpdir(), 'practice-claude-'))
  const [cwd, home] = [path.join(root, 'work'), path.join(root, 'home')]
  await mkdir(home)
  await mkdir(cwd)
  for (const [name, text] of Object.entries(files)) {
    await mkdir(path.dirname(path.join(cwd, name)), { recursive: true })
    await writeFile(path.join(cwd, name), text)
  }
  const lines: Record<string, unknown>[] = []
  const end = await runProcess({
    command: claude ?? '',
    args: ['-p', 'say hello', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'bypassPermissions'],
    cwd,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: home,
      CLAUDE_CONFIG_DIR: path.join(home, '.claude'),
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'practice',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      IS_SANDBOX: '1',
    },
    signal: AbortSignal.timeout(50_000),
    onLine: (line) => {
      lines.push(JSON.parse(line))
      return undefined
    },
  })
  const said = await readFile(path.join(cwd, 'said.txt'), 'utf8').catch(() => null)
  await rm(root, { recursive: true, force: true })
  return { exitCode: end.exitCode, said, result: lines.find(({ type }) => type === 'result') }
}

const skill = '---\nname: shout\ndescription: Shouts what is to be said.\n---\nRun: echo HELLO | tee said.txt\n'

needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('the claude CLI', () => {
  test('reads a skill, runs its command with Bash and answers from what it returned', async () => {
    await using server = await startPractice({ scenario: parseScenario(scenario, 'x.yaml') })
    const { exitCode, said, result } = await runClaude(server, { '.claude/skills/shout/SKILL.md': skill })
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: 'HELLO\n' })
    expect(result).toMatchObject({ subtype: 'success', is_error: false, result: 'Said HELLO' })
    const asked = server.requests.filter((one) => one.path === '/v1/messages')
    expect(asked.map(({ rule, turn, seed }) => [rule, turn, seed])).toEqual([
      ['reads the skill it is offered', 1, 0],
      ['does what the skill says', 2, 0],
      ['answers', 3, 0],
    ])
    expect(asked[0]?.tools).toContain('Bash')
    expect(asked[0]?.headers['user-agent']).toContain('claude-cli')
  })
  test('two runs of one case are two conversations that begin alike', async () => {
    await using server = await startPractice({ scenario: parseScenario(scenario, 'x.yaml') })
    for (const _ of [1, 2]) await runClaude(server, { '.claude/skills/shout/SKILL.md': skill })
    expect(server.requests.filter(({ turn }) => turn === 1).map(({ seed }) => seed)).toEqual([0, 1])
  })
  test('negative control: without the skill no command is run', async () => {
    await using server = await startPractice({ scenario: parseScenario(scenario, 'x.yaml') })
    const { said, result } = await runClaude(server, {})
    expect([said, result?.result]).toEqual([null, 'no skill here'])
  })
})
