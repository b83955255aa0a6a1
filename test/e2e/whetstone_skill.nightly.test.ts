/** The skill that Whetstone ships, benched by Whetstone on the practice model through the real Claude Code CLI: what the agent does with it and without it. */
import { cpSync, mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { transcriptEvent } from '../../schemas/transcript.ts'
import { loadScenario } from '../../src/features/practice/scenario/scenario.ts'
import { startPractice } from '../../src/features/practice/server.ts'
import { claudeBinary, needs } from '../require.ts'
import { fresh, whetstone } from './program.ts'

const root = path.join(import.meta.dirname, '../..')
const shipped = path.join(root, 'skills/whetstone')
const binary = claudeBinary()

/** `whetstone` as an agent's sandbox can start it: an installation, whose bin folder is on PATH. */
function installed(): string {
  const prefix = fresh()
  const bin = path.join(prefix, 'bin')
  mkdirSync(bin)
  cpSync(path.join(root, 'dist'), path.join(prefix, 'whetstone/dist'), { recursive: true })
  cpSync(path.join(root, 'package.json'), path.join(prefix, 'whetstone/package.json'))
  const modules = realpathSync(path.join(root, 'node_modules'))
  symlinkSync(modules, path.join(prefix, 'whetstone/node_modules'))
  symlinkSync('../whetstone/dist/program/bin.js', path.join(bin, 'whetstone'))
  // a link out of the folder is what makes the sandbox show where it leads
  symlinkSync(path.join(modules, 'yargs/package.json'), path.join(bin, '.modules'))
  return bin
}

/** `change`: of the text of SKILL.md. */
async function benched(more: readonly string[] = [], change = (text: string) => text) {
  const folder = fresh()
  const skill = path.join(folder, 'whetstone')
  cpSync(shipped, skill, { recursive: true })
  const file = path.join(skill, 'SKILL.md')
  writeFileSync(file, change(readFileSync(file, 'utf8')))
  await using server = await startPractice({
    scenario: await loadScenario(path.join(import.meta.dirname, 'whetstone_skill.yaml')),
  })
  const args = ['--engine', 'claude-code:claude-practice-1', '--judge', 'anthropic:claude-practice-1', '--runs', '1']
  const end = await whetstone(['bench', skill, ...args, '--workspace', path.join(folder, 'ws'), ...more], {
    env: {
      ANTHROPIC_BASE_URL: server.url,
      ANTHROPIC_API_KEY: 'practice',
      WHETSTONE_CLAUDE: binary ?? '',
      PATH: `${installed()}${path.delimiter}${process.env.PATH}`,
    },
  })
  const benchmarks = path.join(folder, 'ws/benchmarks')
  const made = path.join(benchmarks, readdirSync(benchmarks)[0] ?? '')
  return { end, made }
}

const cases = [1, 2, 3, 4, 5, 6]
const arms = ['with_skill', 'without_skill'] as const

needs(
  'the claude CLI',
  binary !== null,
  'npm run agents',
)('benched by whetstone through the real claude CLI', () => {
  let ran: Awaited<ReturnType<typeof benched>>
  beforeAll(async () => {
    ran = await benched()
  }, 600_000)

  const runOf = (id: number, arm: string) => {
    const name = readdirSync(ran.made).find((one) => one.startsWith(`eval-${id}-`)) ?? ''
    return path.join(ran.made, name, arm, 'run-1')
  }
  const read = (id: number, arm: string, name: string) => readFileSync(path.join(runOf(id, arm), name), 'utf8')
  const grading = (id: number, arm: string) => JSON.parse(read(id, arm, 'grading.json'))
  const byCode = (id: number, arm: string): { text: string; passed: boolean }[] =>
    grading(id, arm).expectations.filter((one: { decided_by: string }) => one.decided_by !== 'judge')
  /** What the agent ran in its shell. */
  const commands = (id: number, arm: string) =>
    read(id, arm, 'transcript.jsonl')
      .trim()
      .split('\n')
      .map((line) => transcriptEvent.parse(JSON.parse(line)))
      .flatMap((event) => (event.type === 'tool_call' && event.name === 'Bash' ? JSON.stringify(event.input) : []))

  test('ends well, every run graded, and the skill helps', () => {
    expect(ran.end, ran.end.stderr).toMatchObject({ code: 0 })
    const benchmark = JSON.parse(readFileSync(path.join(ran.made, 'benchmark.json'), 'utf8'))
    expect(benchmark.counts).toMatchObject({ planned: 12, used: 12, excluded: {} })
    expect(benchmark.statistics.scopes.these_cases.difference.mean).toBeGreaterThan(0.3)
  })
  test.each(cases)('case %i: who has the skill reads it and meets every check, who has not does not', (id) => {
    expect(JSON.parse(read(id, 'with_skill', 'run.json')).skill).toMatchObject({ offered: true, read: true })
    expect(JSON.parse(read(id, 'without_skill', 'run.json')).loaded.skills).not.toContain('whetstone')
    expect(byCode(id, 'with_skill').filter(({ passed }) => !passed)).toEqual([])
    expect(byCode(id, 'without_skill').some(({ passed }) => !passed)).toBe(true)
  })
  test('with it the agent checks and plans, and starts nothing that costs; without it it starts at once', () => {
    const [first = '', second = '', ...more] = commands(1, 'with_skill')
    expect(first).toContain('whetstone check evals/files/receipts --json')
    expect(second).toContain('whetstone bench evals/files/receipts --dry-run')
    expect(more).toEqual([])
    expect(commands(1, 'without_skill')[0]).toContain('whetstone bench evals/files/receipts --runs 1')
  })
  test('the commands are really there: whetstone answered the agent in its sandbox', () => {
    expect(read(1, 'with_skill', 'transcript.md')).toContain('"counts"')
    expect(read(5, 'with_skill', 'transcript.md')).toContain('duplicate-id')
    expect(read(6, 'with_skill', 'transcript.md')).toContain('no model was asked')
  })
  test.each(arms)('the suite in the hands of the agent, %s: as it was, or edited and seen', (arm) => {
    const same = byCode(3, arm).find(({ text }) => text === 'The suite is as it was')
    expect(same?.passed).toBe(arm === 'with_skill')
  })
  test('negative control: a skill that says nothing of a plan and a yes is graded worse', {
    timeout: 300_000,
  }, async () => {
    const { end, made } = await benched(['--case', '1'], (text) => text.replace(/^2\. Show what[\s\S]*?(?=^3\. )/m, ''))
    expect(end.code, end.stderr).toBe(0)
    const { expectations } = JSON.parse(
      readFileSync(path.join(made, 'eval-1-does-it-help/with_skill/run-1/grading.json'), 'utf8'),
    )
    expect(expectations).toContainEqual(
      expect.objectContaining({ text: 'The plan was looked at without starting it', passed: false }),
    )
  })
})
