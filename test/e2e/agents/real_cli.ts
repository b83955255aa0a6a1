/** A whole benchmark of the example's first case through a real agent CLI on the practice model: what each arm was offered and read. */
import { cpSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { type Plan, plan as planSchema } from '../../../schemas/plan.ts'
import { chooseSandbox, noSandboxWish } from '../../../src/base/sandbox/choose.ts'
import { findEngine } from '../../../src/engines/table.ts'
import { listSkillFiles } from '../../../src/phases/1-plan/skill/read_skill.ts'
import { performRun } from '../../../src/phases/2-run/run.ts'
import { loadScenario } from '../../../src/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { needs } from '../../require.ts'
import { fresh } from '../program.ts'

const example = path.join(import.meta.dirname, '../../../workspaces/example/invoice-totals')

export interface RealCli {
  /** Of its program. */
  name: string
  /** Absolute path; null: it is not installed. */
  binary: string | null
  engine: string
  model: string
  /** The scenario, beside this file. */
  scenario: string
  /** What the user has set, for a server. */
  env(server: Pick<PracticeServer, 'url'>): Record<string, string>
  /** What it alone says of a run. */
  expectRecord(record: ReturnType<typeof JSON.parse>, toolCalls: Record<string, number>, arm: string): void
}

/** Milliseconds: an agent CLI starts slowly, and machines differ. */
const patience = 300_000

/** The tests that each CLI has to pass. */
export function testRealCli(cli: RealCli): void {
  const suite = needs(`the ${cli.name} CLI`, cli.binary !== null, 'npm run agents')
  suite(`bench with the real ${cli.name} CLI`, () => {
    let ran: Awaited<ReturnType<typeof benched>>
    beforeAll(async () => {
      ran = await benched(cli)
    }, patience)

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
    test("the server's log agrees: listed and read in one arm only, the answer key in none", () => {
      const rules = (text: string) => ran.asked.filter((one) => one.text.includes(text)).map((one) => one.rule)
      expect(rules('invoice-totals')).toEqual(['agent takes the skill', 'agent does what it says', 'agent answers'])
      expect(rules('The house rules are not a plain sum')).toEqual(['agent does what it says', 'agent answers'])
      expect(ran.asked.map((one) => one.rule)).toEqual(expect.arrayContaining(['agent adds up by itself']))
      expect(rules('all by the house rules')).toEqual([])
    })
    test.each(['with_skill', 'without_skill'])('the run is recorded as it was: %s', (arm) => {
      const record = JSON.parse(ran.read(arm, 'run.json'))
      expect(record.usage.input_tokens).toBeGreaterThan(0)
      expect(record.sandbox.network).toBe(record.sandbox.mechanism === 'none' ? 'open' : 'endpoint')
      expect(ran.read(arm, 'transcript.md')).toContain('## Eval Prompt')
      cli.expectRecord(record, JSON.parse(ran.read(arm, 'outputs/metrics.json')).tool_calls, arm)
    })
    test.each([
      ['with_skill', true],
      ['without_skill', false],
    ])('the judge on it decided %s', (arm, passed) => {
      const { expectations } = JSON.parse(ran.read(arm, 'grading.json'))
      const total = expectations.find((one: { text: string }) => one.text.includes('Total due'))
      expect(total).toMatchObject({ passed, decided_by: 'judge' })
    })
    test(
      'negative control: with the install step taken out, the run fails as not offered',
      async () => {
        const whole = await performed(cli, ran.plan, (await listSkillFiles(example)).files)
        expect(whole.record).toMatchObject({ status: 'completed', skill: { offered: true, read: true } })
        const without = await performed(cli, ran.plan, [])
        expect(without.record).toMatchObject({ status: 'failed', error: { kind: 'skill_not_offered' } })
      },
      patience,
    )
  })
}

/** A practice server with the scenario of this CLI. */
async function serve(cli: RealCli): Promise<PracticeServer> {
  return startPractice({ scenario: await loadScenario(path.join(import.meta.dirname, cli.scenario)) })
}

/** Benches; `asked` are the requests of agents in order, with all that the model was told. */
async function benched(cli: RealCli) {
  const folder = fresh()
  const skill = path.join(folder, 'invoice-totals')
  cpSync(example, skill, { recursive: true })
  await using server = await serve(cli)
  const args = ['bench', skill, '--engine', `${cli.engine}:${cli.model}`, '--case', '1', '--runs', '1']
  const end = await runMain([...args, '--workspace', path.join(folder, 'ws')], { env: cli.env(server) })
  const benchmarks = path.join(folder, 'ws/benchmarks')
  const made = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  const read = (arm: string, name: string) =>
    readFileSync(path.join(made, 'eval-1-march-summary', arm, 'run-1', name), 'utf8')
  const plan = planSchema.parse(JSON.parse(readFileSync(path.join(made, 'plan.json'), 'utf8')))
  const agents = server.requests.filter((one) => one.rule?.startsWith('agent'))
  const asked = agents.map(({ rule, system, messages }) => ({ rule, text: system + JSON.stringify(messages) }))
  return { end, read, plan, asked }
}

/** The run of the arm with the skill alone, with these files of the skill installed. */
async function performed(cli: RealCli, plan: Plan, files: Awaited<ReturnType<typeof listSkillFiles>>['files']) {
  await using server = await serve(cli)
  const spec = plan.runs.find((run) => run.configuration === 'with_skill')
  if (spec === undefined) throw new Error('no such arm')
  return await performRun({
    spec,
    engine: findEngine(cli.engine),
    skillFiles: files,
    folder: path.join(fresh(), 'run'),
    userEnv: { PATH: process.env.PATH, ...cli.env(server) },
    passEnv: [],
    hidden: [],
    sandbox: await chooseSandbox(noSandboxWish, process.env.PATH ?? ''),
    attempt: 1,
    signal: new AbortController().signal,
  })
}
