/** bench through the real opencode CLI against the practice model: what each arm was offered and read, by the server's own log. */
import { beforeAll, expect, test } from 'vitest'
import { skillFiles } from '../../src/phases/1-plan/skill.ts'
import { cliBinary, cliFolder, needs } from '../require.ts'
import { benched, example, performed, type RealCli } from './real_cli.ts'

const binary = cliBinary('opencode')
const opencode: RealCli = {
  engine: 'opencode',
  model: 'anthropic/claude-practice-1',
  scenario: 'opencode.yaml',
  env: ({ url }) => ({
    ...{ ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: 'practice', WHETSTONE_OPENCODE: binary ?? '' },
    PATH: `${process.env.PATH}:${cliFolder}`,
  }),
}

needs(
  'the opencode CLI',
  binary !== null,
  'npm run agents',
)('bench with the real opencode CLI', () => {
  let ran: Awaited<ReturnType<typeof benched>>
  beforeAll(async () => {
    ran = await benched(opencode)
  }, 300_000)

  test('ends well', () => expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 }))
  test('the arm with the skill was offered it, read it and ran its script', () => {
    const record = JSON.parse(ran.read('with_skill', 'run.json'))
    const skill = { offered: true, read: true, read_at_step: 1 }
    expect(record).toMatchObject({ status: 'completed', skill, steps: 3 })
    expect(record.loaded.skills).toContain('invoice-totals')
    expect(ran.read('with_skill', 'outputs/summary.md')).toContain('Total due: 1088.85')
  })
  test('the arm without it was not', () => {
    expect(JSON.parse(ran.read('without_skill', 'run.json')).loaded.skills).not.toContain('invoice-totals')
    expect(ran.read('without_skill', 'outputs/summary.md')).toContain('972.65')
  })
  test("the server's log agrees: listed and read in one arm only, the answer key in none", () => {
    const rules = (text: string) => ran.asked.filter((one) => one.text.includes(text)).map((one) => one.rule)
    expect(rules('invoice-totals')).toEqual(['agent takes the skill', 'agent does what it says', 'agent answers'])
    expect(rules('The house rules are not a plain sum')).toEqual(['agent does what it says', 'agent answers'])
    expect(ran.asked.map((one) => one.rule)).toEqual(expect.arrayContaining(['agent adds up by itself']))
    expect(rules('all by the house rules')).toEqual([])
  })
  test.each(['with_skill', 'without_skill'])(
    'tokens, unknown cost, model, session and tool calls are recorded %s',
    (arm) => {
      const record = JSON.parse(ran.read(arm, 'run.json'))
      const version = expect.stringMatching(/^1\.\d+\.\d+$/)
      expect(record.engine).toEqual({ name: 'opencode', version, model: 'claude-practice-1', provider: 'anthropic' })
      expect(record.session_id).toMatch(/^ses_/)
      expect(record.usage.input_tokens).toBeGreaterThan(0)
      expect(record.cost).toBeNull()
      expect(JSON.parse(ran.read(arm, 'outputs/metrics.json')).tool_calls).toMatchObject({ bash: 1 })
    },
  )
  test.each([
    ['with_skill', true],
    ['without_skill', false],
  ])('the judge on opencode decided %s', (arm, passed) => {
    const { expectations } = JSON.parse(ran.read(arm, 'grading.json'))
    const total = expectations.find((one: { text: string }) => one.text.includes('Total due'))
    expect(total).toMatchObject({ passed, decided_by: 'judge' })
  })
  test('negative control: with the install step taken out, the run fails as not offered', async () => {
    const whole = await performed(opencode, ran.plan, (await skillFiles(example)).files)
    expect(whole.record).toMatchObject({ status: 'completed', skill: { offered: true, read: true } })
    const without = await performed(opencode, ran.plan, [])
    expect(without.record).toMatchObject({ status: 'failed', error: { kind: 'skill_not_offered' } })
  }, 300_000)
})
