/** bench --until decided against the practice model, and what lies on disk after it. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { benchmark } from '../../../schemas/benchmark.ts'
import { parseScenario } from '../../../src/practice/scenario/scenario.ts'
import { startPractice } from '../../../src/practice/server.ts'
import { fresh, makeSkill, type ProgramOptions, whetstone } from '../program.ts'

/** The skill does it all; nobody does; who does it is drawn by the conversation. */
export const worlds = {
  helps: "rules: [{ name: skilled, when: { system: 'SKILL.md' }, text: TIDY }, { name: else, text: untidy }]",
  hurts: "rules: [{ name: skilled, when: { system: 'SKILL.md' }, text: untidy }, { name: else, text: TIDY }]",
  same: 'rules: [{ name: both, text: untidy }]',
  /** Of seven cases the skill wins tasks 1 to 5 and loses 6 and 7: too few to decide, too many to give up. */
  mixed:
    "rules: [{ name: won, when: { system: 'SKILL.md', user: 'task [1-5]' }, text: TIDY }, { name: lost, when: { system: 'SKILL.md' }, text: untidy }, { name: theirs, when: { user: 'task [67]' }, text: TIDY }, { name: else, text: untidy }]",
}

export interface Made {
  skill: string
  workspace: string
  url: string
}

const evals = (cases: number) =>
  Array.from({ length: cases }, (_, at) => ({
    id: at + 1,
    prompt: `task ${at + 1}`,
    checks: [{ type: 'contains', value: 'TIDY' }],
  }))

export async function inWorld<R>(scenario: string, cases: number, work: (made: Made) => Promise<R>): Promise<R> {
  await using server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  return await work({ skill: makeSkill(evals(cases)), workspace: path.join(fresh(), 'ws'), url: server.url })
}

/** The program's end, the lines it wrote with --json, and the newest benchmark; null: none was written. */
export async function benchUntil(made: Made, ...flags: string[]) {
  return { ...(await startUntil(made, flags)), ...stateOf(made.workspace) }
}

/** The program's end alone, with a hand on the child. */
export async function startUntil(made: Made, flags: readonly string[], started?: ProgramOptions['started']) {
  const args = [
    'bench',
    made.skill,
    '--workspace',
    made.workspace,
    ...(flags.includes('--concurrency') ? [] : ['--concurrency', '4']),
    '--engine',
    'anthropic:claude-haiku-4-5',
  ]
  const env = { ANTHROPIC_BASE_URL: made.url, ANTHROPIC_API_KEY: 'practice' }
  return await whetstone([...args, '--until', 'decided', ...flags], { env, ...(started && { started }) })
}

export function stateOf(workspace: string) {
  const root = path.join(workspace, 'benchmarks')
  const names = readdirSync(root).sort()
  const folder = path.join(root, names.at(-1) ?? '')
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  const made = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('run.json'))
  const result = benchmark.parse(JSON.parse(read('benchmark.json')))
  return { folder, benchmarks: names.length, read, made, result, until: result.statistics?.until }
}
