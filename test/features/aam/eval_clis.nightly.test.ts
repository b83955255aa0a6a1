/** The example packages on the real Claude Code and Codex CLIs: hooks, skills, sub-agents, rules, system prompts, tools and identity reach the model. */
import { beforeAll, expect, test } from 'vitest'
import { copyOfExample, evaluated } from '../../e2e/eval/aam.ts'
import { copyOf, practised } from '../../e2e/practised.ts'
import { claudeBinary, cliBinary, needs } from '../../require.ts'

const claude = claudeBinary()

needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('an AAM package on the real claude CLI', () => {
  let ran: Awaited<ReturnType<typeof evaluated>>
  beforeAll(async () => {
    ran = await evaluated(copyOfExample(), ['--model', 'claude-practice-1'], { WHETSTONE_CLAUDE: claude ?? '' })
  }, 120_000)

  test('passes, with the engine of its config', () => {
    expect(ran.end, ran.end.stdout + ran.end.stderr).toMatchObject({ code: 0 })
    expect(ran.result()).toMatchObject({
      engine: { name: 'claude-code' },
      summary: { passed: 4 },
      timeout_seconds: 120,
    })
  })
  test('the hook blocked one write and let the other', () => {
    expect(JSON.parse(ran.read('closed-book', 'run.json')).permission_denials).toEqual(['Write'])
    expect(ran.read('open-book', 'outputs/open/april.csv')).toBe('test')
  })
  test('of the wrapper of its hook nothing is seen, by the model or in the transcript', () => {
    const transcript = ran.read('closed-book', 'transcript.jsonl')
    for (const seen of [ran.log, transcript]) {
      expect(seen).toContain('is a closed book')
      expect(/hook-1\.sh|PACKAGE_ROOT|readFileSync/.exec(seen)).toBeNull()
    }
    expect(transcript).toContain('"exit_code":2')
  })
  test('the skill under test was offered, and not its tests', () => {
    const record = JSON.parse(ran.read('sum-of-april', 'run.json'))
    expect(record.skill.offered).toBe(true)
    expect(JSON.parse(ran.read('closed-book', 'run.json')).loaded.skills).toContain('csv-sum')
  })
  test.each([
    ['AGENTS.md', 'Books that are closed stay as they are'],
    ['a rule', 'Say totals with two decimals'],
    ['a sub-agent', 'Checks ledgers and says what is odd'],
    ['an agent as the session', 'you change none, and you begin every answer with AUDIT'],
  ])('%s reached the model', (_, text) => expect(ran.log).toContain(text))
  test('the agent has the tools that it lists, and no other of the CLI', () => {
    const { tools } = JSON.parse(ran.read('audit', 'run.json')).loaded
    expect(tools).toEqual(expect.arrayContaining(['Read', 'Bash', 'Skill']))
    expect(tools).not.toContain('Write')
    expect(JSON.parse(ran.read('open-book', 'run.json')).loaded.tools).toContain('Write')
  })
})

const flags = ['--engine', 'claude-code:claude-practice-1', '--judge', 'anthropic:practice-1']
const env = { WHETSTONE_CLAUDE: claude ?? '' }

needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('other formats on the real claude CLI', () => {
  test('the EVAL.md package passes: skill read, a tool of SkillKit used, a system prompt kept', async () => {
    const ran = await practised(copyOf('example-eval-md'), flags, env)
    expect(ran.end, ran.end.stdout + ran.end.stderr).toMatchObject({ code: 0 })
    expect(Object.values(ran.verdicts)).toEqual(['pass', 'pass', 'pass', 'pass'])
    expect(ran.asked).toEqual(expect.arrayContaining(['looks it up', 'writes a title']))
    expect(ran.log).toContain('greeter')
  }, 240_000)
  test('the golden tests pass with the persona, the pinned note and the vault of the agent', async () => {
    const ran = await practised(copyOf('example-golden'), flags, env)
    expect(ran.end, ran.end.stdout + ran.end.stderr).toMatchObject({ code: 0 })
    expect(ran.verdicts).toEqual({ '001_transfer': 'pass', '001_rent': 'pass' })
    expect(ran.log).toContain('Calm, exact, short')
  }, 240_000)
})

/** Codex does all by its shell. */
const auditor = `
  - name: the auditor on codex looks
    when: { tool: '^exec_command$', system: 'You are an auditor', not_called: 'cat' }
    tool_calls: { name: exec_command, input: { cmd: 'cat fixtures/april.csv' } }
  - name: the auditor on codex answers
    when: { system: 'You are an auditor', called: 'cat fixtures' }
    text: 'AUDIT: nothing is odd.'
`
const codex = cliBinary('codex')

needs(
  'the codex CLI',
  codex !== null,
  'npm run agents',
)('an AAM package on the real codex CLI', () => {
  test('passes with an agent as the session, and with the rules of the package', async () => {
    const folder = copyOfExample((replace) => replace('practice.yaml', 'rules:\n', `rules:\n${auditor}`))
    const on = ['--engine', 'codex:gpt-5.5', '--judge', 'anthropic:practice-1', 'audit']
    const ran = await evaluated(folder, on, { WHETSTONE_CODEX: codex ?? '' })
    expect(ran.end.code, ran.end.stdout + ran.end.stderr).toBe(0)
    expect(ran.end.stdout + ran.end.stderr).toMatch(/codex does not support a choice of tools, commands: left out/)
    expect(ran.result().cases).toMatchObject([{ eval_name: 'audit', verdict: 'pass' }])
    for (const said of [
      'you begin every answer with AUDIT',
      'Books that are closed stay',
      'Say totals with two decimals',
    ])
      expect(ran.log).toContain(said)
  }, 240_000)
})
