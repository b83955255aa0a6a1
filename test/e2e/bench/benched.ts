/** `bench` in the test's own process, and what lies in its workspace after it. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { benchmark } from '../../../schemas/benchmark.ts'
import { runRecord } from '../../../schemas/run.ts'
import { parseScenario } from '../../../src/features/practice/scenario/scenario.ts'
import { type PracticeServer, startPractice } from '../../../src/features/practice/server.ts'
import { runMain } from '../../cli/run_main.ts'
import { fresh, makeSkill } from '../program.ts'

/** Cases that ask for the word TIDY. */
export function tidyCases(count: number) {
  const checks = [{ type: 'contains', value: 'TIDY' }]
  return Array.from({ length: count }, (_, at) => ({ id: at + 1, prompt: `task ${at + 1}`, checks }))
}

/** A skill with as many of them. */
export const tidySkill = (count: number) => makeSkill(tidyCases(count))

export const says = "rules: [{ name: says, text: 'TIDY, and so on, and so on' }]"

export const keysOf = (url: string) => ({
  ANTHROPIC_API_KEY: 'practice',
  ANTHROPIC_BASE_URL: url,
  OPENAI_API_KEY: 'practice',
  OPENAI_BASE_URL: `${url}/v1`,
})

/** Calls `work` with the environment of a user of the practice model, which has this scenario. */
export async function withModel<R>(
  scenario: string,
  work: (env: Record<string, string>, server: PracticeServer) => Promise<R>,
): Promise<R> {
  await using server = await startPractice({ scenario: parseScenario(scenario, 'test.yaml') })
  return await work(keysOf(server.url), server)
}

export interface Asked {
  /** Absent: one of a case. */
  skill?: string
  /** Absent: a new one. */
  workspace?: string
  /** Absent: the SDK engine on the practice model. */
  engine?: string
  env?: Record<string, string>
}

/** `bench`; `lines`: what it wrote with --json. */
export async function bench(asked: Asked, ...flags: readonly string[]) {
  const {
    skill = tidySkill(1),
    workspace = path.join(fresh(), 'ws'),
    engine = 'anthropic:practice-1',
    env = {},
  } = asked
  const args = ['bench', skill, '--engine', engine, '--workspace', workspace, ...flags]
  const end = await runMain(args, { env })
  return { ...end, skill, workspace, args, lines: flags.includes('--json') ? jsonLines(end.stdout) : [] }
}

export const jsonLines = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

/** What lies in a workspace: how many benchmarks, and the newest. */
export function newestIn(workspace: string) {
  const root = path.join(workspace, 'benchmarks')
  const names = readdirSync(root).sort()
  const folder = path.join(root, names.at(-1) ?? '')
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.startsWith('eval-'))
  const listAll = (name: string) => files.filter((file) => path.basename(file) === name).sort()
  const made = listAll('run.json')
  const records = made.map((name) => runRecord.parse(JSON.parse(read(name))))
  const gradings = listAll('grading.json').map((name) => JSON.parse(read(name)))
  return { folder, benchmarks: names.length, read, made, records, gradings, result: resultIn(folder) }
}

const resultIn = (folder: string) =>
  benchmark.parse(JSON.parse(readFileSync(path.join(folder, 'benchmark.json'), 'utf8')))

export const sum = (numbers: readonly number[]) => numbers.reduce((all, one) => all + one, 0)
