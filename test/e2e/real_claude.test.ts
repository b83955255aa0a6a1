/** bench through the real Claude Code CLI against the practice model: what each arm was offered and read, by the server's own log. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type Plan, plan as planSchema } from '../../schemas/plan.ts'
import { chooseSandbox, noWish } from '../../src/base/sandbox/choose.ts'
import { engineNamed } from '../../src/engines/table.ts'
import { skillFiles } from '../../src/phases/1-plan/skill.ts'
import { performRun } from '../../src/phases/2-run/run.ts'
import { loadScenario } from '../../src/practice/scenario.ts'
import { startPractice } from '../../src/practice/server.ts'
import { claudeBinary, needs } from '../require.ts'
import { fresh, whetstone } from './program.ts'

const claude = claudeBinary()
const example = path.join(import.meta.dirname, '../../workspaces/example/invoice-totals')

async function practice() {
  const server = await startPractice({ scenario: await loadScenario(path.join(import.meta.dirname, 'claude.yaml')) })
  const env = { ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_CLAUDE: claude ?? '' }
  return { server, env }
}

async function benched() {
  const folder = fresh()
  const skill = path.join(folder, 'invoice-totals')
  cpSync(example, skill, { recursive: true })
  const { server, env } = await practice()
  await using _ = server
  const args = ['bench', skill, '--engine', 'claude-code:claude-practice-1', '--case', '1', '--runs', '1']
  const end = await whetstone([...args, '--workspace', path.join(folder, 'ws')], { env })
  const benchmarks = path.join(folder, 'ws/benchmarks')
  const made = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  const read = (arm: string, name: string) =>
    readFileSync(path.join(made, 'eval-1-march-summary', arm, 'run-1', name), 'utf8')
  const plan = planSchema.parse(JSON.parse(readFileSync(path.join(made, 'plan.json'), 'utf8')))
  const agents = server.requests.filter((one) => one.rule?.startsWith('agent'))
  return {
    end,
    read,
    plan,
    asked: agents.map(({ rule, system, messages }) => ({ rule, text: system + JSON.stringify(messages) })),
  }
}

/** One run of the arm with the skill, with these files of the skill installed. */
async function performed(plan: Plan, files: Awaited<ReturnType<typeof skillFiles>>['files']) {
  const { server, env } = await practice()
  await using _ = server
  const spec = plan.runs.find((run) => run.configuration === 'with_skill')
  if (spec === undefined) throw new Error('no such arm')
  return await performRun({
    spec,
    engine: engineNamed('claude-code'),
    skillFiles: files,
    folder: path.join(fresh(), 'run'),
    userEnv: { PATH: process.env.PATH, ...env },
    passEnv: [],
    hidden: [],
    sandbox: await chooseSandbox(noWish, process.env.PATH ?? ''),
    attempt: 1,
    signal: new AbortController().signal,
  })
}

needs(
  'the claude CLI',
  claude !== null,
  'npm run agents',
)('bench with the real claude CLI', () => {
  let ran: Awaited<ReturnType<typeof benched>>
  beforeAll(async () => {
    ran = await benched()
  })

  test('ends well', () => expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 }))
  test('the arm with the skill was offered it, read it and ran its script', () => {
    const record = JSON.parse(ran.read('with_skill', 'run.json'))
    expect(record).toMatchObject({ status: 'completed', skill: { offered: true, read: true } })
    expect(record.loaded.skills).toContain('invoice-totals')
    expect(ran.read('with_skill', 'outputs/summary.md')).toContain('Total due: 1088.85')
  })
  test('the arm without it was not', () => {
    expect(JSON.parse(ran.read('without_skill', 'run.json')).loaded.skills).not.toContain('invoice-totals')
    expect(ran.read('without_skill', 'outputs/summary.md')).toContain('972.65')
  })
  test("the server's log agrees: listed and read in one arm only", () => {
    const rules = (text: string) => ran.asked.filter((one) => one.text.includes(text)).map((one) => one.rule)
    expect(rules('invoice-totals')).toEqual(['agent takes the skill', 'agent does what it says', 'agent answers'])
    expect(rules('The house rules are not a plain sum')).toEqual(['agent does what it says', 'agent answers'])
    expect(ran.asked.map((one) => one.rule)).toEqual(expect.arrayContaining(['agent adds up by itself']))
  })
  test("the server's log agrees: the answer key reached no agent", () => {
    expect(ran.asked.filter((one) => one.text.includes('all by the house rules'))).toEqual([])
  })
  test.each(['with_skill', 'without_skill'])('cost, tokens, model, session and tool calls are recorded %s', (arm) => {
    const record = JSON.parse(ran.read(arm, 'run.json'))
    const version = expect.stringMatching(/^2\./)
    expect(record.engine).toMatchObject({ name: 'claude-code', version, model: 'claude-practice-1' })
    expect(record.session_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(record.usage.input_tokens).toBeGreaterThan(0)
    expect(record.cost).toMatchObject({ source: 'agent' })
    expect(JSON.parse(ran.read(arm, 'outputs/metrics.json')).tool_calls).toMatchObject({ Bash: 1 })
    expect(ran.read(arm, 'transcript.md')).toContain('## Eval Prompt')
  })
  test.each([
    ['with_skill', true],
    ['without_skill', false],
  ])('the judge on Claude Code decided %s', (arm, passed) => {
    const { expectations } = JSON.parse(ran.read(arm, 'grading.json'))
    const total = expectations.find((one: { text: string }) => one.text.includes('Total due'))
    expect(total).toMatchObject({ passed, decided_by: 'judge' })
  })
  test('negative control: with the install step taken out, the run fails as not offered', async () => {
    const whole = await performed(ran.plan, (await skillFiles(example)).files)
    expect(whole.record).toMatchObject({ status: 'completed', skill: { offered: true, read: true } })
    const without = await performed(ran.plan, [])
    expect(without.record).toMatchObject({ status: 'failed', error: { kind: 'skill_not_offered' } })
  })
})
