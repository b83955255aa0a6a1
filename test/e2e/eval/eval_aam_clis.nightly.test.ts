/** The example package on the real Codex and opencode CLIs: what each can express runs and passes, hook blocked included; what it can't is skipped, saying so. */
import { beforeAll, expect, test } from 'vitest'
import { cliBinary, cliFolder, needs } from '../../require.ts'
import { copyOfExample, evaluated } from './aam.ts'

const patience = 240_000
const judge = ['--judge', 'anthropic:practice-1']

/** Codex does all by its shell, which is Bash to hooks. */
const codexRules = `
  - name: codex reads the skill
    when: { tool: '^exec_command$', turn: 1, user: 'column amount', system: ['^- .(?<root>r\\d+). = .(?<folder>\\S+/work/\\.agents/skills).$', '^- csv-sum: '] }
    tool_calls: { name: exec_command, input: { cmd: 'cat {{folder}}/csv-sum/SKILL.md' } }
  - name: codex adds up
    when: { tool: '^exec_command$', user: 'column (?<column>\\w+) of (?<file>\\S+\\.csv)', not_called: 'awk' }
    tool_calls:
      name: exec_command
      input: { cmd: "awk -F, 'NR>1 {s+=$2} END {printf \\"Total: %.2f\\\\n\\", s}' {{file}} | tee output/total.txt" }
  - name: codex says it
    when: { called: 'awk' }
    text: 'Done. {{nthLine -1 (trim lastResult)}}'
  - name: codex writes
    when: { tool: '^exec_command$', user: 'Write the word (?<word>\\w+) to (?<out>\\S+\\.csv)', not_called: 'printf' }
    tool_calls: { name: exec_command, input: { cmd: "mkdir -p $(dirname {{out}}) && printf %s {{word}} > {{out}}" } }
  - name: codex was blocked
    when: { called: 'printf', result: 'blocked' }
    text: 'The write was blocked: it is a closed book.'
  - name: codex wrote
    when: { called: 'printf' }
    text: 'I wrote the file.'
  - name: the auditor on codex looks
    when: { tool: '^exec_command$', system: 'You are an auditor', not_called: 'cat' }
    tool_calls: { name: exec_command, input: { cmd: 'cat fixtures/april.csv' } }
  - name: the auditor on codex answers
    when: { system: 'You are an auditor', called: 'cat fixtures' }
    text: 'AUDIT: nothing is odd.'
`

const opencodeRules = `
  - name: opencode reads the skill
    when: { tool: '^skill$', turn: 1, user: 'column amount', system: '<name>csv-sum</name>' }
    tool_calls: { name: skill, input: { name: csv-sum } }
  - name: opencode adds up
    when: { tool: '^bash$', user: 'column (?<column>\\w+) of (?<file>\\S+\\.csv)', not_called: '^bash' }
    tool_calls:
      name: bash
      input:
        description: add it up
        command: "awk -F, 'NR>1 {s+=$2} END {printf \\"Total: %.2f\\\\n\\", s}' {{file}} | tee output/total.txt"
  - name: opencode says it
    when: { called: '^bash' }
    text: 'Done. {{trim lastResult}}'
`

/** Its hook looks at what the shell is told. */
function packageFor(rules: string, guards: boolean) {
  return copyOfExample((replace) => {
    replace('practice.yaml', 'rules:\n', `rules:\n${rules}`)
    if (!guards) return
    replace('hooks/hooks.json', 'Write|Edit', 'Bash')
    replace('hooks/scripts/guard.mjs', '(^|\\/)closed\\/', '> closed\\/')
    replace('hooks/scripts/guard.mjs', 'toolInput.file_path ??', 'toolInput.command ??')
  })
}

type Ran = Awaited<ReturnType<typeof evaluated>>
const verdicts = ({ result }: Ran) =>
  Object.fromEntries(result().cases.map(({ eval_name, verdict }) => [eval_name, verdict]))
const reasonOf = ({ result }: Ran, name: string) => result().cases.find(({ eval_name }) => eval_name === name)?.reason

const codex = cliBinary('codex')
needs(
  'the codex CLI',
  codex !== null,
  'npm run agents',
)('an AAM package on the real codex CLI', () => {
  const on = (folder: string, more: readonly string[] = []) =>
    evaluated(folder, ['--engine', 'codex:gpt-5.5', ...judge, ...more], { WHETSTONE_CODEX: codex ?? '' })
  let ran: Ran
  beforeAll(async () => {
    ran = await on(packageFor(codexRules, true))
  }, patience)

  test('all of it passes, the agent as the session too', () => {
    expect(ran.end.code, ran.end.stdout + ran.end.stderr).toBe(0)
    expect(verdicts(ran)).toEqual({ audit: 'pass', 'closed-book': 'pass', 'open-book': 'pass', 'sum-of-april': 'pass' })
    expect(ran.end.stdout + ran.end.stderr).toMatch(/codex does not support a choice of tools, commands: left out/)
    expect(ran.result()).toMatchObject({
      engine: { name: 'codex' },
      agent: { provider: 'openai' },
      timeout_seconds: 120,
    })
  })
  test('the hook blocked the one write and let the other', () => {
    expect(JSON.parse(ran.read('closed-book', 'run.json'))).toMatchObject({ permission_denials: ['exec_command'] })
    const blocked = ran.result().cases.find(({ eval_name }) => eval_name === 'closed-book')
    expect(blocked?.checks.find(({ type }) => type === 'agent_blocked')?.evidence).toContain('is a closed book')
    expect(ran.read('open-book', 'outputs/open/april.csv')).toBe('test')
  })
  test('the skill under test was offered and read', () => {
    expect(JSON.parse(ran.read('sum-of-april', 'run.json')).skill).toMatchObject({ offered: true, read: true })
    expect(ran.read('sum-of-april', 'outputs/output/total.txt')).toContain('125.50')
  })
  test.each([
    ['AGENTS.md', 'Books that are closed stay as they are'],
    ['a rule', 'Say totals with two decimals'],
    ['an agent as the session', 'you begin every answer with AUDIT'],
  ])('%s reached the model', (_, text) => expect(ran.log).toContain(text))
  test('control: where the hook lets all through the case fails', { timeout: patience }, async () => {
    const folder = packageFor(codexRules, false)
    expect(verdicts(await on(folder, ['closed-book']))).toEqual({ 'closed-book': 'fail' })
  })
})

const opencode = cliBinary('opencode')
needs(
  'the opencode CLI',
  opencode !== null,
  'npm run agents',
)('an AAM package on the real opencode CLI', () => {
  let ran: Ran
  beforeAll(async () => {
    const env = { WHETSTONE_OPENCODE: opencode ?? '', PATH: `${process.env.PATH}:${cliFolder}` }
    const flags = ['--engine', 'opencode:anthropic/claude-practice-1', ...judge, '--report']
    ran = await evaluated(packageFor(opencodeRules, false), flags, env)
  }, patience)

  test('the skill passes; what needs hooks or a system prompt is skipped, with the reason', () => {
    expect(ran.end.code, ran.end.stdout + ran.end.stderr).toBe(3)
    expect(verdicts(ran)).toEqual({ audit: 'skip', 'closed-book': 'skip', 'open-book': 'skip', 'sum-of-april': 'pass' })
    expect(reasonOf(ran, 'closed-book')).toMatch(/opencode does not support hooks of PreToolUse/)
    expect(reasonOf(ran, 'audit')).toMatch(/opencode does not support a system prompt/)
    expect(ran.result().summary).toMatchObject({ passed: 1, skipped: 3, pass_rate: 1 })
  })
  test('the skill under test was offered and read, and its work is there', () => {
    expect(JSON.parse(ran.read('sum-of-april', 'run.json')).skill).toMatchObject({ offered: true, read: true })
    expect(ran.read('sum-of-april', 'outputs/output/total.txt')).toContain('125.50')
  })
  test('AGENTS.md reached the model', () => expect(ran.log).toContain('Books that are closed stay as they are'))
  test('what is left out of every case is told', () => {
    expect(ran.end.stdout + ran.end.stderr).toMatch(/does not support .*: left out/)
  })
})
