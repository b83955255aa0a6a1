/** A whole benchmark of the example's first case through each real agent CLI on the practice model: what each arm was offered and read. */
import { cpSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { loadScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/features/practice/server.ts'
import { cliBinary, cliFolder, needs } from '../../require.ts'
import { bench, newestIn } from '../bench/benched.ts'
import { fresh } from '../program.ts'

const example = path.join(import.meta.dirname, '../../../workspaces/example/invoice-totals')

/** Of the program: its engine. The scenario has its name, beside this file. */
const clis = {
  claude: 'claude-code:claude-practice-1',
  codex: 'codex:gpt-5.5',
  copilot: 'copilot:anthropic/claude-practice-1',
  opencode: 'opencode:anthropic/claude-practice-1',
  pi: 'pi:anthropic/claude-practice-1',
} as const

/** Milliseconds: an agent CLI starts slowly, and machines differ. */
const patience = 240_000

for (const [name, engine] of Object.entries(clis)) {
  const binary = cliBinary(name)
  const suite = needs(`the ${name} CLI`, binary !== null, 'npm run agents')
  suite(`bench with the real ${name} CLI`, () => {
    let ran: Awaited<ReturnType<typeof benched>>
    beforeAll(async () => {
      ran = await benched(name, engine, binary ?? '')
    }, patience)

    test('ends well', () => expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 }))
    test('the arm with the skill was offered it, read it and ran its script', () => {
      const record = JSON.parse(ran.read('with_skill', 'run.json'))
      expect(record).toMatchObject({
        status: 'completed',
        skill: { offered: true, read: true, listing: { description: 'full' } },
      })
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
    test.each([
      ['with_skill', true],
      ['without_skill', false],
    ])('the judge on it decided %s, and the run was confined', (arm, passed) => {
      const { expectations } = JSON.parse(ran.read(arm, 'grading.json'))
      const total = expectations.find((one: { text: string }) => one.text.includes('Total due'))
      expect(total).toMatchObject({ passed, decided_by: 'judge' })
      const { sandbox } = JSON.parse(ran.read(arm, 'run.json'))
      expect(sandbox.network).toBe(sandbox.mechanism === 'none' ? 'open' : 'endpoint')
    })
  })
}

/** `asked` are the requests of agents in order, with all that the model was told. */
async function benched(name: string, engine: string, binary: string) {
  const skill = path.join(fresh(), 'invoice-totals')
  cpSync(example, skill, { recursive: true })
  await using server = await startPractice({
    scenario: await loadScenario(path.join(import.meta.dirname, `${name}.yaml`)),
  })
  const env = {
    ANTHROPIC_BASE_URL: server.url,
    OPENAI_BASE_URL: `${server.url}/v1`,
    [name === 'codex' ? 'OPENAI_API_KEY' : 'ANTHROPIC_API_KEY']: 'practice',
    [`WHETSTONE_${name.toUpperCase()}`]: binary,
    PATH: `${process.env.PATH}:${cliFolder}`,
    COPILOT_CACHE_HOME: path.join(cliFolder, '../home/.cache/copilot'),
  }
  const end = await bench({ skill, engine, env }, '--case', '1', '--runs', '1')
  const agents = server.requests.filter((one) => one.rule?.startsWith('agent'))
  const asked = agents.map(({ rule, system, messages }) => ({ rule, text: system + JSON.stringify(messages) }))
  const { read } = newestIn(end.workspace)
  return { end, asked, read: (arm: string, file: string) => read(`eval-1-march-summary/${arm}/run-1/${file}`) }
}
